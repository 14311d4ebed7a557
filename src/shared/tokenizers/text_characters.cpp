// A table for the basic plane, look-ups in ranges beyond.
#include "tokenizers/text_characters.h"

#include <utf8proc.h>

#include "tokenizers/character_ranges.h"
#include "tokenizers/text_characters_table.h"

namespace transformeter {
namespace {

template <std::size_t N>
void mark(const CodePointRange (&ranges)[N], CharacterClass kind, std::vector<CharacterClass>& table) {
  for (const CodePointRange& range : ranges) {
    for (char32_t c = range.first; c <= range.last && c < table.size(); ++c) table[c] = kind;
  }
}

}  // namespace

CharacterClasses::CharacterClasses() : table_(kTableSize, CharacterClass::kOther) {
  mark(text_tables::kLetter, CharacterClass::kLetter, table_);
  mark(text_tables::kNumber, CharacterClass::kNumber, table_);
  mark(text_tables::kSpace, CharacterClass::kSpace, table_);
}

CharacterClass CharacterClasses::beyond(char32_t c) {
  if (within(text_tables::kLetter, c)) return CharacterClass::kLetter;
  if (within(text_tables::kNumber, c)) return CharacterClass::kNumber;
  return CharacterClass::kOther;  // every white space lies in the basic plane
}

bool is_numeric(char32_t c) {
  return within(text_tables::kNumeric, c);
}
bool is_rust_word(char32_t c) {
  return within(text_tables::kWord, c);
}
bool is_combining_mark(char32_t c) {
  return within(text_tables::kCombiningMark, c);
}
bool decomposes_compatibly(char32_t c) {
  return within(text_tables::kCompatible, c);
}
char32_t lower_case(char32_t c) {
  const text_tables::LowerCaseRange* late = range_of(text_tables::kLateLowerCase, c);
  if (late != nullptr) return static_cast<char32_t>(static_cast<std::int32_t>(c) + late->distance);
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace transformeter
