// Open addressing over 24-byte slots. A word's bytes are loaded eight at a time, whatever its size: a branch on the
// size is mispredicted at every other word, and a copy of any other size is a call.
#include "tokenizers/word_cache.h"

namespace transformeter {
namespace {

static_assert(std::endian::native == std::endian::little, "a word's first byte is the lowest of what is loaded");

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kMaxWords = 1 << 17;
constexpr std::size_t kMaxBytes = 1 << 22;  // of rests, and as many ids
constexpr std::size_t kLongestWord = 256;
constexpr std::size_t kHalf = sizeof(std::uint64_t);

std::uint64_t load(const char* bytes) {
  std::uint64_t loaded;
  std::memcpy(&loaded, bytes, sizeof(loaded));
  return loaded;
}

// The last `size` of the eight bytes before `end`.
std::uint64_t load_before(const char* end, std::size_t size) {
  return load(end - kHalf) >> (8 * (kHalf - size));
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 32);
}

// Eight bytes at a time, the last of which overlap.
std::uint64_t hash_of_rest(std::string_view word) {
  std::uint64_t state = word.size();
  for (std::size_t i = kHalf; i + kHalf < word.size(); i += kHalf) state = mixed(state, load(word.data() + i));
  return mixed(state, load(word.data() + word.size() - kHalf));
}

}  // namespace

const std::array<WordKey::Keep, 17> WordKey::kKeep = [] {
  std::array<Keep, 17> keep{};
  for (std::size_t size = 1; size < keep.size(); ++size) {
    keep[size].low = size < kHalf ? (1ULL << (8 * size)) - 1 : ~0ULL;
    keep[size].high = size <= kHalf ? 0 : ~0ULL >> (8 * (2 * kHalf - size));
  }
  return keep;
}();

// A long word, or one at the end of a text.
void WordKey::load_others(std::string_view text, TextSpan place) {
  const std::size_t size = word.size();
  const char* const end = text.data() + place.end;
  if (size > kHalf) {
    low = load(word.data());
    high = size > 2 * kHalf ? hash_of_rest(word) : load_before(end, size - kHalf);
  } else if (place.end >= kHalf) {
    low = size == 0 ? 0 : load_before(end, size);
  } else {
    for (std::size_t i = size; i > 0; --i) low = low << 8 | static_cast<unsigned char>(word[i - 1]);
  }
}

WordCache::WordCache() : slots_(kFirstSlots), shift_(32 - static_cast<unsigned>(std::countr_zero(kFirstSlots))) {}

bool WordCache::is_same(const Slot& slot, const WordKey& key) const {
  const char* const rest = rests_.data() + ids_[static_cast<std::size_t>(slot.id)];
  return std::memcmp(rest, key.word.data() + kHalf, key.word.size() - kHalf) == 0;
}

std::span<const std::int32_t> WordCache::many_ids(const Slot& slot) const {
  const std::span<const std::int32_t> ids(ids_.data() + slot.id, slot.id_count);
  return slot.size > kHead ? ids.subspan(1) : ids;
}

void WordCache::insert(const WordKey& key, std::span<const std::int32_t> ids) {
  const std::string_view word = key.word;
  if (word.empty() || ids.empty() || word.size() > kLongestWord || ids.size() > kLongestWord) return;
  if (size_ == kMaxWords || rests_.size() > kMaxBytes || ids_.size() > kMaxBytes) clear();
  if (2 * (size_ + 1) > slots_.size()) grow();
  const bool is_long = word.size() > kHead;
  Slot& slot = slots_[slot_of(key)];
  slot = {key.low, key.high, !is_long && ids.size() == 1 ? ids.front() : static_cast<std::int32_t>(ids_.size()),
          static_cast<std::uint16_t>(word.size()), static_cast<std::uint16_t>(ids.size() + (is_long ? 1 : 0))};
  if (is_long) {
    ids_.push_back(static_cast<std::int32_t>(rests_.size()));
    rests_.insert(rests_.end(), word.begin() + kHalf, word.end());
  }
  if (slot.id_count > 1) ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++size_;
}

void WordCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  for (const Slot& slot : old) {
    if (slot.size == 0) continue;
    std::size_t i = WordKey::hash_of_halves(slot.low, slot.high) >> shift_;
    while (slots_[i].size != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

void WordCache::clear() {
  *this = WordCache();
}

}  // namespace transformeter
