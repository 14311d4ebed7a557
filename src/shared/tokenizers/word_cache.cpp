// Open addressing over 24-byte slots. Bytes are loaded in sizes that the compiler knows: a copy or a comparison of any
// other size is a call.
#include "tokenizers/word_cache.h"

#include <bit>
#include <cstring>

namespace transformeter {
namespace {

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kMaxWords = 1 << 17;
constexpr std::size_t kMaxBytes = 1 << 22;  // of rests, and as many ids
constexpr std::size_t kLongestWord = 256;
constexpr std::size_t kHead = sizeof(std::uint64_t);

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 32);
}

template <typename Word>
Word load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// All of 1 to 7 bytes: of four and more the first and the last four, which overlap.
std::uint64_t few_bytes(const char* bytes, std::size_t count) {
  if (count >= 4) return load<std::uint32_t>(bytes) | std::uint64_t{load<std::uint32_t>(bytes + count - 4)} << 32;
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(bytes[i])}; };
  return byte(0) | byte(count / 2) << 8 | byte(count - 1) << 16;
}

std::uint64_t head_of(std::string_view word) {
  if (word.size() >= kHead) return load<std::uint64_t>(word.data());
  return word.empty() ? 0 : few_bytes(word.data(), word.size());
}

// Visits what a word of more than eight bytes has after them: eight bytes at a time, the last of which overlap.
template <typename Visit>
void for_each_rest(std::string_view word, const Visit& visit) {
  for (std::size_t i = kHead; i + kHead < word.size(); i += kHead) visit(i);
  if (word.size() > kHead) visit(word.size() - kHead);
}

}  // namespace

WordKey::WordKey(std::string_view text) : word(text), head(head_of(text)) {
  std::uint64_t state = mixed(0xA0761D6478BD642FULL + text.size(), head);
  for_each_rest(text, [&](std::size_t i) { state = mixed(state, load<std::uint64_t>(text.data() + i)); });
  hash = static_cast<std::uint32_t>(state >> 32);  // a product carries bits upwards only: these depend on all
}

WordCache::WordCache() : slots_(kFirstSlots) {}

// By the uppermost bits, as many as there are slots for.
std::size_t WordCache::first_place(std::uint32_t hash) const {
  return hash >> (32 - static_cast<unsigned>(std::countr_zero(slots_.size())));
}

std::size_t WordCache::slot_of(const WordKey& key) const {
  const std::size_t mask = slots_.size() - 1;
  const std::size_t size = key.word.size();
  const auto has_same_rest = [&](const Slot& slot) {
    return slot.hash == key.hash && std::memcmp(rests_.data() + slot.rest, key.word.data() + kHead, size - kHead) == 0;
  };
  std::size_t i = first_place(key.hash);
  while (slots_[i].size != 0) {
    const Slot& slot = slots_[i];
    if (slot.head == key.head && slot.size == size && (size <= kHead || has_same_rest(slot))) break;
    i = (i + 1) & mask;
  }
  return i;
}

std::span<const std::int32_t> WordCache::find(const WordKey& key) const {
  const Slot& slot = slots_[slot_of(key)];
  if (slot.size == 0) return {};
  if (slot.id_count == 1) return {&slot.id, 1};
  return {ids_.data() + slot.id, slot.id_count};
}

void WordCache::insert(const WordKey& key, std::span<const std::int32_t> ids) {
  const std::string_view word = key.word;
  if (word.empty() || ids.empty() || word.size() > kLongestWord || ids.size() > kLongestWord) return;
  if (size_ == kMaxWords || rests_.size() > kMaxBytes || ids_.size() > kMaxBytes) clear();
  if (2 * (size_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[slot_of(key)];
  slot = {key.head,
          key.hash,
          static_cast<std::uint32_t>(rests_.size()),
          ids.size() == 1 ? ids.front() : static_cast<std::int32_t>(ids_.size()),
          static_cast<std::uint16_t>(word.size()),
          static_cast<std::uint16_t>(ids.size())};
  if (word.size() > kHead) rests_.insert(rests_.end(), word.begin() + kHead, word.end());
  if (ids.size() > 1) ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++size_;
}

void WordCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.size == 0) continue;
    std::size_t i = first_place(slot.hash);
    while (slots_[i].size != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

void WordCache::clear() {
  *this = WordCache();
}

}  // namespace transformeter
