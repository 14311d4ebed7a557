// Range look-ups; ASCII never comes here on the fast path.
#include "text/bert_characters.h"

#include <utf8proc.h>

#include "text/bert_characters_table.h"
#include "text/character_ranges.h"

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

bool is_word_character(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      // Join controls, and the circled letters, which are symbols by category but Other_Alphabetic.
      return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
             (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
  }
}

}  // namespace transformeter
