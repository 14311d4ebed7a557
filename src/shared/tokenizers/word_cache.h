// The token ids of words seen before: natural text repeats its words, and looking one up is cheaper than cutting it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizers/text_span.h"

namespace transformeter {

/// A word, with what it is found by.
struct WordKey {
  WordKey() = default;
  /// The word at `place` of `text`, which is read beyond the word where that is faster.
  WordKey(std::string_view text, TextSpan place) : word(text.data() + place.begin, place.end - place.begin) {
    constexpr std::size_t kHalf = sizeof(low);
    if (word.size() <= 2 * kHalf && place.begin + 2 * kHalf <= text.size()) {
      std::array<std::uint64_t, 2> halves{};
      std::memcpy(halves.data(), word.data(), sizeof(halves));
      low = halves[0] & kKeep[word.size()].low;
      high = halves[1] & kKeep[word.size()].high;
    } else {
      load_others(text, place);
    }
    hash = hash_of_halves(low, high);
  }
  explicit WordKey(std::string_view whole) : WordKey(whole, {0, whole.size()}) {}

  /// Depends on every bit: a product carries them upwards only, so that its upper half has them all.
  static std::uint32_t hash_of_halves(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t state = low ^ std::rotl(high * 0xA0761D6478BD642FULL, 32);
    return static_cast<std::uint32_t>((state * 0x9E3779B97F4A7C15ULL) >> 32);
  }

  std::string_view word;
  std::uint64_t low = 0;   // the first eight bytes, the first of them lowest; zeros beyond the word
  std::uint64_t high = 0;  // the next eight; of more than sixteen bytes a hash of size and all after the eighth
  std::uint32_t hash = 0;  // of both

 private:
  struct Keep {
    std::uint64_t low;
    std::uint64_t high;
  };
  static const std::array<Keep, 17> kKeep;  // what to keep of the sixteen bytes that a word of each size begins
  void load_others(std::string_view text, TextSpan place);
};

/// Bounded: a cache that is full forgets everything and begins again. Most words have up to sixteen bytes and are one
/// token: those lie in their slot, so that nothing else is read to find one.
class WordCache {
 public:
  WordCache();

  /// Begins to read what `find` reads first: of several words that are looked for at once, none then waits for the
  /// others.
  void prefetch(const WordKey& key) const { __builtin_prefetch(&slots_[key.hash >> shift_]); }
  /// The ids kept for a word, or nothing (a null span). Good until the next insert.
  std::span<const std::int32_t> find(const WordKey& key) const {
    const Slot& slot = slots_[slot_of(key)];
    if (slot.id_count == 1) return {&slot.id, 1};
    return slot.size == 0 ? std::span<const std::int32_t>() : many_ids(slot);
  }
  /// Keeps ids (at least one) for a word that is not there. Long words are not kept.
  void insert(const WordKey& key, std::span<const std::int32_t> ids);

 private:
  static constexpr std::size_t kHead = 16;  // bytes of a word that are in its slot

  struct Slot {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::int32_t id = 0;         // where there is one; else the offset in ids_
    std::uint16_t size = 0;      // of the word; 0: free
    std::uint16_t id_count = 0;  // a long word, with its offset in rests_ before its ids, counts as of several
  };

  std::size_t slot_of(const WordKey& key) const {
    const std::size_t size = key.word.size();
    std::size_t i = key.hash >> shift_;
    while (slots_[i].size != 0) {
      const Slot& slot = slots_[i];
      if (slot.low == key.low && slot.high == key.high && slot.size == size && (size <= kHead || is_same(slot, key))) {
        break;
      }
      i = (i + 1) & (slots_.size() - 1);
    }
    return i;
  }
  bool is_same(const Slot& slot, const WordKey& key) const;
  std::span<const std::int32_t> many_ids(const Slot& slot) const;
  void grow();
  void clear();

  std::vector<Slot> slots_;
  unsigned shift_ = 0;  // leaves as many of a hash's bits as there are slots for
  std::vector<char> rests_;
  std::vector<std::int32_t> ids_;
  std::size_t size_ = 0;
};

}  // namespace transformeter
