// The words of a tokenizer and their ids: a hash table over views, quick to fill and to ask.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// A running hash of a byte string (FNV-1a), so that the hashes of all prefixes of a word cost one pass over it.
class PrefixHash {
 public:
  void add(char byte) { state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL; }
  std::uint64_t value() const { return state_ ^ (state_ >> 29); }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};
std::uint64_t hash_of(std::string_view text);

/// Text → id by open addressing. Views are borrowed: their bytes outlive the table.
class IdTable {
 public:
  explicit IdTable(std::size_t expected_size = 0);

  /// False, and nothing changed, when `text` is there already.
  bool insert(std::string_view text, std::int32_t id);
  /// The id, or -1. `hash` is that of `text`.
  std::int32_t find(std::string_view text, std::uint64_t hash) const;
  std::int32_t find(std::string_view text) const { return find(text, hash_of(text)); }
  std::size_t size() const { return size_; }
  std::size_t longest() const { return longest_; }  // bytes of the longest text

 private:
  struct Slot {
    const char* text = nullptr;
    std::uint32_t size = 0;
    std::uint32_t tag = 0;  // upper half of the hash: most misses end here
    std::int32_t id = -1;   // -1: free
  };
  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::size_t longest_ = 0;
};

/// Tokens by text and by id.
class Vocabulary {
 public:
  explicit Vocabulary(std::size_t expected_size = 0) : table_(expected_size) {}

  /// False, and nothing changed, when `text` or `id` is there already. `text` is borrowed and not empty; id ≥ 0.
  bool insert(std::string_view text, std::int32_t id);
  std::optional<std::int32_t> find(std::string_view text) const;
  const IdTable& table() const { return table_; }
  /// Empty for an id without a token.
  std::string_view token(std::int32_t id) const;
  /// One more than the largest id.
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }

 private:
  IdTable table_;
  std::vector<std::string_view> tokens_;
};

/// A vocabulary with the bytes its words point into, wherever it moves.
struct StoredVocabulary {
  std::unique_ptr<const std::string> bytes;
  Vocabulary words;
};

}  // namespace transformeter
