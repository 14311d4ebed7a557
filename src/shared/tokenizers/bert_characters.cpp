// Range look-ups; ASCII never comes here on the fast path.
#include "tokenizers/bert_characters.h"

#include "tokenizers/bert_characters_table.h"
#include "tokenizers/character_ranges.h"

namespace transformeter {
bool is_bert_removed(char32_t c) {
  return within(bert_tables::kRemoved, c);
}
bool is_bert_space(char32_t c) {
  return within(bert_tables::kSpace, c);
}
bool is_bert_punctuation(char32_t c) {
  return within(bert_tables::kPunctuation, c);
}
bool is_nonspacing_mark(char32_t c) {
  return within(bert_tables::kNonspacingMark, c);
}
std::uint8_t bert_combining_class(char32_t c) {
  if (c < bert_tables::kCombiningClass[0].first) return 0;
  const CombiningRange* range = range_of(bert_tables::kCombiningClass, c);
  return range == nullptr ? std::uint8_t{0} : range->combining_class;
}
bool decomposes_only_lately(char32_t c) {
  constexpr CodePointRange kLate[] = {{0x105C9, 0x105C9}, {0x105E4, 0x105E4}, {0x11383, 0x11391}, {0x113C5, 0x113C8},
                                      {0x11938, 0x11938}, {0x16121, 0x16128}, {0x16D68, 0x16D6A}};
  return within(kLate, c);
}
bool is_bert_chinese(char32_t c) {
  return within(bert_tables::kChinese, c);
}

}  // namespace transformeter
