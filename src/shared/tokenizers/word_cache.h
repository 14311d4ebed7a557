// The token ids of words seen before: natural text repeats its words, and looking one up is cheaper than cutting it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace transformeter {

/// A word, with what it is found by.
struct WordKey {
  explicit WordKey(std::string_view text);

  std::string_view word;
  std::uint64_t head;  // the first eight bytes; all of a shorter word, in one way for each size
  std::uint32_t hash;
};

/// Bounded: a cache that is full forgets everything and begins again. Most words have up to eight bytes and are one
/// token: those lie in their slot, so that nothing else is read to find one.
class WordCache {
 public:
  WordCache();

  /// The ids kept for a word, or nothing (a null span). Good until the next insert.
  std::span<const std::int32_t> find(const WordKey& key) const;
  /// Keeps ids (at least one) for a word that is not there. Long words are not kept.
  void insert(const WordKey& key, std::span<const std::int32_t> ids);

 private:
  struct Slot {
    std::uint64_t head = 0;
    std::uint32_t hash = 0;
    std::uint32_t rest = 0;      // offset in rests_ of the bytes after the eighth
    std::int32_t id = 0;         // where there is one
    std::uint16_t size = 0;      // of the word; 0: free
    std::uint16_t id_count = 0;  // of several the offset in ids_ is in `id`
  };
  std::size_t first_place(std::uint32_t hash) const;
  std::size_t slot_of(const WordKey& key) const;
  void grow();
  void clear();

  std::vector<Slot> slots_;
  std::vector<char> rests_;
  std::vector<std::int32_t> ids_;
  std::size_t size_ = 0;
};

}  // namespace transformeter
