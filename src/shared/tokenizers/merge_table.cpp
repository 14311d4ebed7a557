// Short words scan all their pairs at each step, which is quick because they stay in a cache line or two; long ones
// keep a heap, so that a megabyte without a blank takes no quadratic time.
#include "tokenizers/merge_table.h"

#include <array>
#include <queue>
#include <utility>

namespace transformeter {
namespace {

constexpr std::size_t kShortWord = 48;  // symbols
constexpr std::uint32_t kEnd = ~std::uint32_t{0};

}  // namespace

MergeTable::MergeTable(std::size_t expected_size) {
  std::size_t capacity = 16;
  while (capacity < 2 * expected_size) capacity *= 2;
  resize(capacity);
}

void MergeTable::resize(std::size_t capacity) {
  std::vector<Slot> old(capacity);
  old.swap(slots_);
  shift_ = 64;
  for (std::size_t size = capacity; size > 1; size /= 2) --shift_;
  for (const Slot& slot : old) {
    if (slot.key != kFree) slots_[slot_of(slot.key)] = slot;
  }
}

bool MergeTable::insert(std::int32_t left, std::int32_t right, Merge merge) {
  if (2 * (size_ + 1) > slots_.size()) resize(2 * slots_.size());
  const std::uint64_t key = key_of(left, right);
  Slot& slot = slots_[slot_of(key)];
  if (slot.key == key) return false;
  slot = {key, merge};
  ++size_;
  return true;
}

void MergeTable::merge_all(std::vector<BpeSymbol>& symbols) const {
  if (symbols.size() < 2) return;
  if (symbols.size() <= kShortWord) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
}

void MergeTable::merge_short(std::vector<BpeSymbol>& symbols) const {
  std::array<Merge, kShortWord> merges;  // of each symbol with the next
  std::size_t size = symbols.size();
  for (std::size_t i = 0; i + 1 < size; ++i) merges[i] = find(symbols[i].id, symbols[i + 1].id);
  while (size > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < size; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == kNone) break;
    symbols[best] = {merges[best].id, symbols[best].size + symbols[best + 1].size};
    --size;
    for (std::size_t i = best + 1; i < size; ++i) {
      symbols[i] = symbols[i + 1];
      merges[i] = merges[i + 1];
    }
    if (best > 0) merges[best - 1] = find(symbols[best - 1].id, symbols[best].id);
    if (best + 1 < size) merges[best] = find(symbols[best].id, symbols[best + 1].id);
  }
  symbols.resize(size);
}

void MergeTable::merge_long(std::vector<BpeSymbol>& symbols) const {
  struct Candidate {
    std::uint32_t rank;
    std::uint32_t left;    // place of the left symbol
    std::int32_t left_id;  // as they were: a candidate is stale when one of them has changed
    std::int32_t right_id;
    std::int32_t merged_id;
    bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
  };
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> next(count);  // the symbol behind, or kEnd
  std::vector<std::uint32_t> previous(count);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::uint32_t left, std::uint32_t right) {
    const Merge merge = find(symbols[left].id, symbols[right].id);
    if (merge.rank != kNone) candidates.push({merge.rank, left, symbols[left].id, symbols[right].id, merge.id});
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1 < count ? i + 1 : kEnd;
    previous[i] = i > 0 ? i - 1 : kEnd;
    if (i + 1 < count) consider(i, i + 1);
  }
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    const std::uint32_t left = best.left;
    if (symbols[left].size == 0 || symbols[left].id != best.left_id || next[left] == kEnd) continue;
    const std::uint32_t right = next[left];
    if (symbols[right].id != best.right_id) continue;
    symbols[left] = {best.merged_id, symbols[left].size + symbols[right].size};
    symbols[right].size = 0;  // gone
    next[left] = next[right];
    if (next[left] != kEnd) {
      previous[next[left]] = left;
      consider(left, next[left]);
    }
    if (previous[left] != kEnd) consider(previous[left], left);
  }
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i != kEnd; i = next[i]) symbols[kept++] = symbols[i];
  symbols.resize(kept);
}

}  // namespace transformeter
