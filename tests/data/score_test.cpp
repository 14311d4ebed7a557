// Accuracy as counts.
#include "data/score.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(CountCorrect, CountsLabelledExamplesOnlyAndAddsUp) {
  AccuracyCount count = count_correct({1, 0, 1}, {1, 1, std::nullopt});
  EXPECT_EQ(count.correct, 1);
  EXPECT_EQ(count.labelled, 2);
  count += count_correct({0, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(count.ratio().value(), 3.0 / 4.0);
}

TEST(CountCorrect, HasNoRatioWithoutLabels) {
  EXPECT_EQ(count_correct({1}, {std::nullopt}).ratio(), std::nullopt);
  EXPECT_EQ(AccuracyCount().ratio(), std::nullopt);
}

TEST(CountCorrect, RefusesUnequalSizes) {
  EXPECT_THROW(count_correct({1}, {}), Error);
}

}  // namespace
}  // namespace transformeter
