// By hand, and by scikit-learn's rules for what is neither labelled nor predicted.
#include "stats/label_set_f1.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

using Sets = LabelSetF1::Sets;
const std::vector<std::size_t> kFour = {0, 1, 2, 3};

// Class 0: 1 right of 2 there and 1 predicted, 2/3. Class 1: 1 right of 1 and 2, 2/3. Class 2: 0 of 1 and 1. Class 3:
// never there.
const Sets kThere = {{0, 1}, {0}, {2}, {}};
const Sets kSaid = {{1, 0}, {}, {1}, {2}};

TEST(LabelSetF1, AddsUpAllClassesOrAveragesThem) {
  LabelSetF1 f1(kSaid, kThere, 4);
  EXPECT_DOUBLE_EQ(*f1.micro(kFour), 2.0 * 2 / (4 + 4));
  EXPECT_DOUBLE_EQ(*f1.macro(kFour), (2.0 / 3 + 2.0 / 3 + 0 + 0) / 4);
}

TEST(LabelSetF1, OfAResampleCountsAsOftenAsChosen) {
  LabelSetF1 f1(kSaid, kThere, 3);
  EXPECT_DOUBLE_EQ(*f1.micro(std::vector<std::size_t>{0, 0, 1}), 2.0 * 4 / (5 + 4));
  EXPECT_DOUBLE_EQ(*f1.macro(std::vector<std::size_t>{0, 0, 1}), (4.0 / 5 + 1 + 0) / 3);
}

TEST(LabelSetF1, OfNothingIsNothingAndOfEmptySetsNought) {
  LabelSetF1 f1(kSaid, kThere, 4);
  EXPECT_FALSE(f1.micro(std::vector<std::size_t>{}));
  EXPECT_FALSE(f1.macro(std::vector<std::size_t>{}));
  EXPECT_EQ(LabelSetF1({{}}, {{}}, 2).micro(std::vector<std::size_t>{0}), 0);
}

TEST(LabelSetF1, UnequalSizesAndUnknownClassesAreFaults) {
  EXPECT_THROW(LabelSetF1({{0}}, {}, 1), Error);
  EXPECT_THROW(LabelSetF1({{1}}, {{0}}, 1), Error);
  EXPECT_THROW(LabelSetF1({{0}}, {{-1}}, 1), Error);
}

}  // namespace
}  // namespace transformeter
