// Hostile and wide text on a terminal.
#include "report/display_text.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(DisplayText, NeutralisesControlsAndDirectionMarks) {
  EXPECT_EQ(one_line("a\nb\tc"), "a b c");
  EXPECT_EQ(one_line("\x1b[31mred"), "\xEF\xBF\xBD[31mred");
  EXPECT_EQ(one_line("\xE2\x80\xAEx"), "\xEF\xBF\xBDx");  // U+202E right-to-left override
  EXPECT_EQ(one_line("\xFFx"), "\xEF\xBF\xBDx");
  EXPECT_EQ(one_line("\xC2\x9Bx"), "\xEF\xBF\xBDx");  // U+009B, a control sequence introducer
  EXPECT_EQ(one_line("\xD7\xA9\xD7\x9C"), "\xD7\xA9\xD7\x9C");
  EXPECT_EQ(one_line(""), "");
}

TEST(DisplayText, WidthCountsColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xE6\xA8\xA1\xE5\x9E\x8B"), 4U);  // two wide characters
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // a combining accent
  EXPECT_EQ(display_width("\xC2\xB1"), 1U);
}

TEST(DisplayText, CutsNoCharacterInHalf) {
  EXPECT_EQ(cut_to_columns("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_columns("abcdef", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(last_columns("abcdef", 6), "abcdef");
  EXPECT_EQ(last_columns("abcdef", 4),
            "\xE2\x80\xA6"
            "def");
  EXPECT_EQ(last_columns("\xE6\xA8\xA1\xE5\x9E\x8B", 3), "\xE2\x80\xA6\xE5\x9E\x8B");
  EXPECT_EQ(last_columns("\xE6\xA8\xA1\xE5\x9E\x8B", 2), "\xE2\x80\xA6");
  EXPECT_EQ(cut_to_columns("\xE6\xA8\xA1\xE5\x9E\x8B", 3), "\xE6\xA8\xA1\xE2\x80\xA6");
  EXPECT_EQ(cut_to_columns("\xE6\xA8\xA1\xE5\x9E\x8B", 2), "\xE2\x80\xA6");
}

TEST(DisplayText, BreaksAtBlanksBeforeTheLastColumn) {
  EXPECT_EQ(wrapped("ab cd ef", 5), "ab cd\nef");
  EXPECT_EQ(wrapped("ab cd ef", 4), "ab\ncd\nef");
  EXPECT_EQ(wrapped("a abcdefgh b", 4), "a\nabcdefgh\nb") << "a word that is too wide";
  EXPECT_EQ(wrapped("\xE6\xA8\xA1 \xE5\x9E\x8B", 4), "\xE6\xA8\xA1\n\xE5\x9E\x8B") << "two columns each";
  EXPECT_EQ(wrapped("a\nb", 9), "a b");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(DisplayText, CountsTheIndentAndWhatTheFirstLineStandsBehind) {
  EXPECT_EQ(wrapped("ab cd ef gh", 5, 2), "ab cd\n  ef\n  gh");
  EXPECT_EQ(wrapped("ab cd ef gh", 7, 2), "ab cd\n  ef gh");
  EXPECT_EQ(wrapped("ab cd ef gh", 7, 2, 4), "ab\n  cd ef\n  gh");
  EXPECT_EQ(wrapped("abcdefgh b", 7, 2, 4), "abcdefgh\n  b");
}

}  // namespace
}  // namespace transformeter
