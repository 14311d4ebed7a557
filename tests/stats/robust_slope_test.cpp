// The median of the slopes between pairs.
#include "stats/robust_slope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "stats/series.h"

namespace transformeter {
namespace {

std::vector<double> line(std::size_t count, double slope) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(3 + slope * static_cast<double>(i));
  return values;
}

TEST(RobustSlope, IsThatOfALine) {
  const auto slope = robust_slope(line(20, -0.25));
  ASSERT_TRUE(slope && slope->interval);
  EXPECT_NEAR(slope->value, -0.25, 1e-12);
  EXPECT_NEAR(slope->interval->low, -0.25, 1e-12);
  EXPECT_NEAR(slope->interval->high, -0.25, 1e-12);
  EXPECT_EQ(slope->n, 20U);
}

// scipy 1.17.1: theilslopes(values, range(10), alpha=0.9784824569691588), the 10th of 45 slopes from either end.
// Neighbours alternate, so ρ is 0 and half its standard error ½√(1 ÷ 10) = 0.158: 1.96 standard deviations of S become
// 1.96 √(1.158 ÷ 0.842) = 2.299, which 97.85 % of a normal variable lie within.
TEST(RobustSlope, IntervalOfTenValuesIsThatOfScipy) {
  const auto slope = robust_slope(std::vector{2.31, 1.78, 2.45, 1.62, 1.95, 1.21, 1.74, 0.88, 1.43, 0.97});
  ASSERT_TRUE(slope && slope->interval);
  EXPECT_NEAR(slope->value, -0.1488888888888889, 1e-12);
  EXPECT_NEAR(slope->interval->low, -0.25, 1e-12);
  EXPECT_NEAR(slope->interval->high, -0.008, 1e-12);
}

TEST(RobustSlope, IsNotTurnedByAFewOutliers) {
  std::vector<double> values = line(40, 0.5);
  values[3] = 1000;
  values[37] = -1000;
  EXPECT_NEAR(robust_slope(values)->value, 0.5, 1e-9);
}

TEST(RobustSlope, IsPerSampleWhereMediansStandForThem) {
  const auto slope = robust_slope(line(5000, 0.001));
  ASSERT_TRUE(slope && slope->interval);
  EXPECT_NEAR(slope->value, 0.001, 1e-9);
}

// Sen's interval of noise without a slope holds 0 nineteen times in twenty: of 400 draws within two standard errors.
TEST(RobustSlope, IntervalHoldsTheTruthOfNoise) {
  int held = 0;
  for (std::uint64_t draw = 0; draw < 400; ++draw) {
    RandomStream random(draw, "noise");
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(random.normal());
    const auto slope = robust_slope(values);
    if (slope->interval->low <= 0 && slope->interval->high >= 0) ++held;
  }
  EXPECT_GE(held, 400 * 0.95 - 2 * 4.36) << "standard error of a count of 400 at 95 %: 4.36";
}

// 93 % of nominally 95 at least, with two standard errors of the simulation.
TEST(RobustSlope, IntervalHoldsTheTruthOfCorrelatedValues) {
  constexpr int kTrials = 1000;
  for (const std::size_t n : {10U, 20U, 50U, 100U}) {
    RandomStream random(n, "correlated");
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values = ar1(n, 0.7, random);
      for (std::size_t i = 0; i < n; ++i) values[i] += 0.1 * static_cast<double>(i);
      const auto slope = robust_slope(values);
      if (slope->interval->low <= 0.1 && slope->interval->high >= 0.1) ++held;
    }
    EXPECT_GE(held, kTrials * 0.93 - 2 * std::sqrt(kTrials * 0.93 * 0.07)) << n << " values";
  }
}

TEST(RobustSlope, HasNoneOfFewOrOddValues) {
  EXPECT_FALSE(robust_slope(line(9, 1)));
  std::vector<double> odd = line(20, 1);
  odd[4] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(robust_slope(odd));
}

}  // namespace
}  // namespace transformeter
