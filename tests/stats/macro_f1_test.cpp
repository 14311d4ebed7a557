// Macro F1 by hand; tests/data/accuracy_test.cpp holds it to scikit-learn.
#include "stats/macro_f1.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(MacroF1, AveragesOverTheClassesThatOccur) {
  // Class 0: TP 1, FP 1, FN 1: 1/2. Class 2: 0 of 2. Class 5: only predicted: 0. Classes 1, 3 and 4 do not occur.
  EXPECT_DOUBLE_EQ(MacroF1({0, 0, 5}, {0, 2, 0}).of_all().value(), (0.5 + 0 + 0) / 3);
  EXPECT_EQ(MacroF1({}, {}).of_all(), std::nullopt);
}

TEST(MacroF1, CountsTheChosenAsOftenAsTheyAreDrawn) {
  MacroF1 f1({1, 7, 7}, {1, 1, 7});
  const std::size_t drawn[] = {0, 1, 1};
  // Class 1: TP 1, FN 2: 2 / 4. Class 7: predicted twice, never right: 0.
  EXPECT_DOUBLE_EQ(f1.of(drawn).value(), 0.25);
  const std::size_t right[] = {2, 2};
  EXPECT_DOUBLE_EQ(f1.of(right).value(), 1) << "class 1 was not drawn";
}

TEST(MacroF1, TakesAnyNumberForAClass) {
  EXPECT_DOUBLE_EQ(MacroF1({-2147483647, 2147483647}, {-2147483647, 0}).of_all().value(), 1.0 / 3);
}

TEST(MacroF1, RefusesUnequalSizes) {
  EXPECT_THROW(MacroF1({1}, {}), Error);
}

}  // namespace
}  // namespace transformeter
