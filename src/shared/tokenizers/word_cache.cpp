// Open addressing over 16-byte slots; texts and ids stand in two arrays of their own.
#include "tokenizers/word_cache.h"

#include <cstring>

namespace transformeter {
namespace {

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kMaxWords = 1 << 17;
constexpr std::size_t kMaxBytes = 1 << 22;  // of texts, and of ids as many
constexpr std::size_t kLongestWord = 256;

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 32);
}

}  // namespace

WordCache::WordCache() : slots_(kFirstSlots) {}

std::uint64_t WordCache::hash(std::string_view word) {
  std::uint64_t state = 0xA0761D6478BD642FULL + word.size();
  std::size_t i = 0;
  for (; i + 8 <= word.size(); i += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, word.data() + i, 8);
    state = mixed(state, block);
  }
  if (i < word.size()) {
    std::uint64_t block = 0;
    std::memcpy(&block, word.data() + i, word.size() - i);
    state = mixed(state, block);
  }
  return mixed(state, state >> 29);
}

std::size_t WordCache::slot_of(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t i = hash & mask;
  while (slots_[i].text_size != 0) {
    const Slot& slot = slots_[i];
    if (slot.tag == tag && slot.text_size == word.size() &&
        std::memcmp(texts_.data() + slot.text, word.data(), word.size()) == 0) {
      break;
    }
    i = (i + 1) & mask;
  }
  return i;
}

std::span<const std::int32_t> WordCache::find(std::string_view word, std::uint64_t hash) const {
  const Slot& slot = slots_[slot_of(word, hash)];
  if (slot.text_size == 0) return {};
  return {ids_.data() + slot.ids, slot.id_count};
}

void WordCache::insert(std::string_view word, std::uint64_t hash, std::span<const std::int32_t> ids) {
  if (word.empty() || ids.empty() || word.size() > kLongestWord || ids.size() > kLongestWord) return;
  if (size_ == kMaxWords || texts_.size() > kMaxBytes) clear();
  if (2 * (size_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[slot_of(word, hash)];
  slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(texts_.size()),
          static_cast<std::uint32_t>(ids_.size()), static_cast<std::uint16_t>(word.size()),
          static_cast<std::uint16_t>(ids.size())};
  texts_.insert(texts_.end(), word.begin(), word.end());
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++size_;
}

void WordCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.text_size == 0) continue;
    const std::string_view word(texts_.data() + slot.text, slot.text_size);
    slots_[slot_of(word, hash(word))] = slot;
  }
}

void WordCache::clear() {
  *this = WordCache();
}

}  // namespace transformeter
