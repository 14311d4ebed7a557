// The terminal's table: alignment, and cells that are no plain line.
#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(text_table({{"name"}, {"n", true}}, {{"a", "5"}, {"abcdef", "12"}}),
            "name     n\n"
            "a        5\n"
            "abcdef  12\n");
}

TEST(TextTable, ACellIsOneLineAndSteersNothing) {
  EXPECT_EQ(text_table({{"name"}, {"n", true}}, {{"a\nb\x1b[31m", "5"}}),
            "name      n\n"
            "a b\xEF\xBF\xBD[31m  5\n");
}

}  // namespace
}  // namespace transformeter
