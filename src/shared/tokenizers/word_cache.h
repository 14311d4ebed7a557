// The token ids of words seen before: natural text repeats its words, and looking one up is cheaper than cutting it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace transformeter {

/// Bounded: a cache that is full forgets everything and begins again.
class WordCache {
 public:
  WordCache();

  /// The ids kept for `word`, or nothing (a null span). Good until the next insert.
  std::span<const std::int32_t> find(std::string_view word, std::uint64_t hash) const;
  /// Keeps ids (at least one) for a word that is not there. Long words are not kept.
  void insert(std::string_view word, std::uint64_t hash, std::span<const std::int32_t> ids);

  static std::uint64_t hash(std::string_view word);

 private:
  struct Slot {
    std::uint32_t tag = 0;        // upper half of the hash
    std::uint32_t text = 0;       // offset in texts_
    std::uint32_t ids = 0;        // offset in ids_
    std::uint16_t text_size = 0;  // 0: free
    std::uint16_t id_count = 0;
  };
  std::size_t slot_of(std::string_view word, std::uint64_t hash) const;
  void grow();
  void clear();

  std::vector<Slot> slots_;
  std::vector<char> texts_;
  std::vector<std::int32_t> ids_;
  std::size_t size_ = 0;
};

}  // namespace transformeter
