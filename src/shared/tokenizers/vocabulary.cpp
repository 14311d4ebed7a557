// Linear probing at a load of at most one half: a look-up touches one or two cache lines.
#include "tokenizers/vocabulary.h"

#include <algorithm>
#include <cstring>

namespace transformeter {

std::uint64_t hash_of(std::string_view text) {
  PrefixHash hash;
  for (const char byte : text) hash.add(byte);
  return hash.value();
}

IdTable::IdTable(std::size_t expected_size) {
  std::size_t capacity = 16;
  while (capacity < 2 * expected_size) capacity *= 2;
  slots_.resize(capacity);
}

std::size_t IdTable::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t i = hash & mask;
  while (slots_[i].id >= 0) {
    const Slot& slot = slots_[i];
    if (slot.tag == tag && slot.size == text.size() && std::memcmp(slot.text, text.data(), text.size()) == 0) break;
    i = (i + 1) & mask;
  }
  return i;
}

bool IdTable::insert(std::string_view text, std::int32_t id) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.id >= 0) return false;
  slot = {text.data(), static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(hash >> 32), id};
  ++size_;
  longest_ = std::max(longest_, text.size());
  return true;
}

std::int32_t IdTable::find(std::string_view text, std::uint64_t hash) const {
  return slots_[slot_of(text, hash)].id;
}

void IdTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id < 0) continue;
    const std::string_view text(slot.text, slot.size);
    slots_[slot_of(text, hash_of(text))] = slot;
  }
}

bool Vocabulary::insert(std::string_view text, std::int32_t id) {
  const auto index = static_cast<std::size_t>(id);
  if (index < tokens_.size() && !tokens_[index].empty()) return false;
  if (!table_.insert(text, id)) return false;
  if (index >= tokens_.size()) tokens_.resize(index + 1);
  tokens_[index] = text;
  return true;
}

std::optional<std::int32_t> Vocabulary::find(std::string_view text) const {
  const std::int32_t id = table_.find(text);
  return id < 0 ? std::nullopt : std::optional(id);
}

std::string_view Vocabulary::token(std::int32_t id) const {
  return id >= 0 && id < size() ? tokens_[static_cast<std::size_t>(id)] : std::string_view();
}

}  // namespace transformeter
