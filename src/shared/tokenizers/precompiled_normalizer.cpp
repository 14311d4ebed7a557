// What becomes of each character is said as Hugging Face says it, its slips included: places depend on it.
#include "tokenizers/precompiled_normalizer.h"

#include <algorithm>

#include "tokenizers/grapheme.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

constexpr std::size_t kWholeGraphemeLimit = 6;  // in bytes; sentencepiece's longest entries are shorter

// `old` characters become those of `made`: further ones are insertions, missing ones go with the last character before.
void append_replaced(std::size_t old, std::string_view made, std::vector<CharacterChange>& changes) {
  const std::size_t before = changes.size();
  for (std::size_t i = 0; i < made.size();) changes.push_back({next_code_point(made, i), 0});
  const std::size_t count = changes.size() - before;
  for (std::size_t i = old; i < count; ++i) changes[before + i].change = 1;
  if (count < old && !changes.empty()) changes.back().change -= static_cast<int>(old - count);
}

// Sorted by what becomes of them: dropped.
bool is_nmt_dropped(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}
bool is_nmt_blank(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
         c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

}  // namespace

PrecompiledNormalizer::PrecompiledNormalizer(Charsmap map) : map_(std::move(map)) {
  for (char c = ' '; c <= '~'; ++c) {
    unchanged_[static_cast<unsigned char>(c)] = !map_.find(std::string_view(&c, 1));
  }
}

bool PrecompiledNormalizer::do_leaves(std::string_view text) const {
  return std::all_of(text.begin(), text.end(), [&](char c) { return unchanged_[static_cast<unsigned char>(c)]; });
}

CharacterNormalizer::Changes PrecompiledNormalizer::do_changes(std::string_view text) const {
  Changes changes;
  changes.characters.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = grapheme_end(text, begin);
    const std::string_view grapheme = text.substr(begin, end - begin);
    if (grapheme.size() < kWholeGraphemeLimit) {
      if (const auto made = map_.find(grapheme)) {
        append_replaced(count_characters(grapheme), *made, changes.characters);
        begin = end;
        continue;
      }
    }
    while (begin < end) {
      const std::string_view character = text.substr(begin, character_size(text, begin));
      if (const auto made = map_.find(character)) {
        append_replaced(1, *made, changes.characters);
        begin += character.size();
      } else {
        changes.characters.push_back({next_code_point(text, begin), 0});
      }
    }
  }
  return changes;
}

bool NmtNormalizer::do_leaves(std::string_view text) const {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

CharacterNormalizer::Changes NmtNormalizer::do_changes(std::string_view text) const {
  Changes changes;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (!is_nmt_dropped(c)) {
      changes.characters.push_back({is_nmt_blank(c) ? U' ' : c, 0});
    } else if (changes.characters.empty()) {
      ++changes.left_out;
    } else {
      --changes.characters.back().change;
    }
  }
  return changes;
}

}  // namespace transformeter
