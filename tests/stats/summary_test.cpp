// Descriptive statistics and interval widths.
#include "stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stats/estimate.h"

namespace transformeter {
namespace {

TEST(Summary, ComputesEachFigureByItsDefinition) {
  const std::vector<double> values{4, 1, 7, 2};
  const auto summary = summarize(values);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->n, 4u);
  EXPECT_EQ(summary->total, 14);
  EXPECT_EQ(summary->mean, 3.5);
  // Deviations 0.5, −2.5, 3.5, −1.5 have squares 0.25 + 6.25 + 12.25 + 2.25 = 21 over n − 1 = 3.
  EXPECT_DOUBLE_EQ(summary->stddev.value(), std::sqrt(7));
  EXPECT_EQ(summary->min, 1);
  EXPECT_EQ(summary->max, 7);
  EXPECT_EQ(summary->median, 3);
  EXPECT_EQ(summary->mad, 1.5) << "median of 1, 2, 4, 1";
}

TEST(Summary, IsNothingForNoSamplesAndForNan) {
  EXPECT_FALSE(summarize({}));
  EXPECT_FALSE(summarize(std::vector<double>{1, std::nan(""), 2}));
  EXPECT_FALSE(summarize(std::vector<double>{1, std::numeric_limits<double>::infinity()}));
}

TEST(Summary, OfOneSampleHasNoDeviation) {
  const auto summary = summarize(std::vector<double>{5});
  ASSERT_TRUE(summary);
  EXPECT_FALSE(summary->stddev);
  EXPECT_EQ(summary->median, 5);
  EXPECT_EQ(summary->mad, 0);
}

TEST(Summary, KeepsSmallSamplesBesideHugeOnes) {
  std::vector<double> values(1000, 1e-3);
  values.push_back(1e15);
  values.push_back(-1e15);
  EXPECT_NEAR(summarize(values)->total, 1, 1e-12);
}

TEST(RelativeHalfWidth, TakesTheLargerSide) {
  EXPECT_DOUBLE_EQ(relative_half_width({10, Interval{9, 13}, 20}).value(), 0.3);
  EXPECT_DOUBLE_EQ(relative_half_width({-10, Interval{-14, -9}, 20}).value(), 0.4);
}

TEST(RelativeHalfWidth, IsBoundedForZerosAndNan) {
  EXPECT_EQ(relative_half_width({0, Interval{0, 0}, 20}), 0.0);
  EXPECT_EQ(relative_half_width({0, Interval{-1, 1}, 20}), std::nullopt);
  EXPECT_EQ(relative_half_width({5, std::nullopt, 3}), std::nullopt);
  EXPECT_EQ(relative_half_width({std::nan(""), Interval{0, 1}, 3}), std::nullopt);
  EXPECT_EQ(relative_half_width({1, Interval{0, std::nan("")}, 3}), std::nullopt);
  EXPECT_EQ(relative_half_width({1e-320, Interval{0, 1e300}, 3}), std::nullopt);
}

}  // namespace
}  // namespace transformeter
