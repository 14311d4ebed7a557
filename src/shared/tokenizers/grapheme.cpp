// The rules GB3 to GB13 of annex 29, read from left to right.
#include "tokenizers/grapheme.h"

#include <algorithm>
#include <iterator>

#include "tokenizers/grapheme_table.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

constexpr char32_t kZeroWidthJoiner = 0x200D;

grapheme::Flags flags_of(char32_t c) {
  if (c >= 0xAC00 && c <= 0xD7A3)
    return (c - 0xAC00) % 28 == 0 ? grapheme::kHangulL | grapheme::kHangulV : grapheme::kHangulL | grapheme::kHangulT;
  const auto* const after =
      std::upper_bound(std::begin(grapheme::kRanges), std::end(grapheme::kRanges), c,
                       [](char32_t value, const grapheme::Range& range) { return value < range.first; });
  if (after == std::begin(grapheme::kRanges) || c > std::prev(after)->last) return 0;
  return std::prev(after)->flags;
}

bool is_syllable(char32_t c) {
  return c >= 0xAC00 && c <= 0xD7A3;
}
bool is_regional_indicator(char32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}
bool is_printable_ascii(char byte) {
  return byte >= ' ' && byte <= '~';
}

// GB6 to GB8; a syllable begins with a leading part (kHangulL) and ends with its vowel or trailing part.
bool joins_hangul(char32_t left, grapheme::Flags left_flags, char32_t right, grapheme::Flags right_flags) {
  if ((left_flags & grapheme::kHangulL) != 0 && !is_syllable(left)) {
    return (right_flags & (grapheme::kHangulL | grapheme::kHangulV)) != 0;
  }
  if (is_syllable(right)) return false;
  if ((left_flags & grapheme::kHangulV) != 0) return (right_flags & (grapheme::kHangulV | grapheme::kHangulT)) != 0;
  return (left_flags & grapheme::kHangulT) != 0 && (right_flags & grapheme::kHangulT) != 0;
}

// What of the grapheme so far the rules look back at.
class Context {
 public:
  explicit Context(char32_t first) { add(first, flags_of(first)); }

  bool joins(char32_t c, grapheme::Flags flags) const {
    if (last_ == U'\r' && c == U'\n') return true;                                                // GB3
    if (((last_flags_ | flags) & grapheme::kControl) != 0) return false;                          // GB4, GB5
    if (joins_hangul(last_, last_flags_, c, flags)) return true;                                  // GB6 to GB8
    if ((flags & grapheme::kJoins) != 0 || (last_flags_ & grapheme::kPrepend) != 0) return true;  // GB9, GB9a, GB9b
    if ((flags & grapheme::kConsonant) != 0 && linked_consonant_) return true;                    // GB9c
    if ((flags & grapheme::kPictographic) != 0 && joined_pictographic_) return true;              // GB11
    return is_regional_indicator(c) && regional_indicators_ % 2 == 1;                             // GB12, GB13
  }

  void add(char32_t c, grapheme::Flags flags) {
    joined_pictographic_ = open_pictographic_ && c == kZeroWidthJoiner;
    open_pictographic_ =
        (flags & grapheme::kPictographic) != 0 || (open_pictographic_ && (flags & grapheme::kExtend) != 0);
    linked_consonant_ = open_consonant_ && ((flags & grapheme::kLinker) != 0 ||
                                            (linked_consonant_ && (flags & grapheme::kConjunctExtend) != 0));
    open_consonant_ = (flags & grapheme::kConsonant) != 0 ||
                      (open_consonant_ && (flags & (grapheme::kLinker | grapheme::kConjunctExtend)) != 0);
    regional_indicators_ = is_regional_indicator(c) ? regional_indicators_ + 1 : 0;
    last_ = c;
    last_flags_ = flags;
  }

 private:
  char32_t last_ = 0;
  grapheme::Flags last_flags_ = 0;
  bool open_pictographic_ = false;    // an emoji, then nothing but extending marks
  bool joined_pictographic_ = false;  // the same, then a joiner
  bool open_consonant_ = false;       // an Indic consonant, then nothing but linkers and marks
  bool linked_consonant_ = false;     // with a linker among them
  int regional_indicators_ = 0;       // the last so many
};

}  // namespace

std::size_t grapheme_end(std::string_view text, std::size_t begin) {
  if (is_printable_ascii(text[begin]) && (begin + 1 == text.size() || is_printable_ascii(text[begin + 1]))) {
    return begin + 1;
  }
  std::size_t end = begin;
  Context context(next_code_point(text, end));
  while (end < text.size()) {
    std::size_t after = end;
    const char32_t c = next_code_point(text, after);
    const grapheme::Flags flags = flags_of(c);
    if (!context.joins(c, flags)) break;
    context.add(c, flags);
    end = after;
  }
  return end;
}

}  // namespace transformeter
