// Range look-ups; ASCII never comes here on the fast path.
#include "text/bert_characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "text/bert_characters_table.h"

namespace transformeter {
namespace {

// The range of a sorted table that holds `c`, or null.
template <typename Range, std::size_t N>
const Range* range_of(const Range (&ranges)[N], char32_t c) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last ? std::prev(after) : nullptr;
}

template <std::size_t N>
bool within(const CodePointRange (&ranges)[N], char32_t c) {
  return range_of(ranges, c) != nullptr;
}

}  // namespace

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
