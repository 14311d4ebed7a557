// The merges of a BPE vocabulary by pair, and the merging of a word's symbols.
#pragma once

#include <cstdint>
#include <vector>

namespace transformeter {

/// A stretch of a word that is one token so far.
struct BpeSymbol {
  std::int32_t id = 0;
  std::uint32_t size = 0;  // bytes of the word
};

/// Pair of token ids → rank and the token both make. Ids lie below 2²¹ (kTokenIdLimit), so a pair is one number.
class MergeTable {
 public:
  struct Merge {
    std::uint32_t rank = kNone;
    std::int32_t id = -1;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit MergeTable(std::size_t expected_size = 0);

  /// False, and nothing changed, when the pair is there already.
  bool insert(std::int32_t left, std::int32_t right, Merge merge);
  /// Rank kNone when the pair does not merge.
  Merge find(std::int32_t left, std::int32_t right) const {
    std::size_t i = slot_of(key_of(left, right));
    return slots_[i].merge;
  }
  std::size_t size() const { return size_; }

  /// Joins neighbours, lowest rank first and the leftmost of equals, until no pair merges. Takes time in n log n.
  void merge_all(std::vector<BpeSymbol>& symbols) const;

 private:
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = ((key ^ (key >> 29)) * 0x9E3779B97F4A7C15ULL) >> shift_;
    while (slots_[i].key != key && slots_[i].key != kFree) i = (i + 1) & mask;
    return i;
  }
  void resize(std::size_t capacity);
  void merge_short(std::vector<BpeSymbol>& symbols) const;
  void merge_long(std::vector<BpeSymbol>& symbols) const;

  std::vector<Slot> slots_;
  int shift_ = 0;  // leaves as many bits of a hash as the table has
  std::size_t size_ = 0;
};

}  // namespace transformeter
