// Spelling suggestions, UTF-8 validation and number parsing.
#include "base/text.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(Nearest, SuggestsTheWordOfATypingSlip) {
  EXPECT_EQ(nearest("batch_sise", {"batch_size", "seed"}), "batch_size");
  EXPECT_EQ(nearest("completely_different", {"batch_size", "seed"}), std::nullopt);
}

TEST(FirstInvalidUtf8, AcceptsEveryLengthAndFindsTheBadByte) {
  EXPECT_EQ(first_invalid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("ab\xFF"), 2u);
  EXPECT_EQ(first_invalid_utf8("\xC0\x80"), 0u) << "overlong";
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0u) << "surrogate";
  EXPECT_EQ(first_invalid_utf8("x\xE2\x82"), 1u) << "cut off";
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0u) << "beyond U+10FFFF";
  for (std::size_t place = 0; place < 40; ++place) {
    std::string text(40, 'a');
    text[place] = '\xFF';
    EXPECT_EQ(first_invalid_utf8(text), place);
    text = std::string(place, 'a') + "\xC3\xA9" + std::string(20, 'a');
    EXPECT_EQ(first_invalid_utf8(text), std::nullopt);
  }
}

TEST(ParseInteger, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("12x"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
}

TEST(WholeCharacters, AreCutBetweenThem) {
  EXPECT_EQ(whole_characters("short", 5), "short");
  EXPECT_EQ(whole_characters("abcdef", 3), "abc");
  EXPECT_EQ(whole_characters("ab\u00e9f", 3), "ab");
  EXPECT_EQ(whole_characters("ab\u00e9f", 4), "ab\u00e9");
  EXPECT_EQ(whole_characters("\u00e9", 1), "");
}

TEST(Excerpt, CutsBetweenCharacters) {
  EXPECT_EQ(excerpt("short"), "short");
  EXPECT_EQ(excerpt("abcdef", 3), "abc...");
  EXPECT_EQ(excerpt("ab\u00e9f", 3), "ab...") << "the character of two bytes goes whole";
  EXPECT_EQ(excerpt("ab\u00e9f", 4), "ab\u00e9...");
}

}  // namespace
}  // namespace transformeter
