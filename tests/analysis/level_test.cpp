// Levels whose errors are known.
#include "analysis/level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr Level kOfProcesses{0.02, 0.01, 3, true};
constexpr Level kOfSlices{0.03, 0.003, 7, false};
constexpr Level kOfOneWindow{0.03, 0, 0, false};

TEST(ProcessSpread, IsTheLargestOfLevelsBetweenProcesses) {
  EXPECT_FALSE(largest_process_spread({kOfSlices, kOfOneWindow}));
  const auto spread = largest_process_spread({kOfProcesses, {0.02, 0.011, 2, true}, kOfSlices});
  ASSERT_TRUE(spread);
  EXPECT_DOUBLE_EQ(spread->log_stddev, 0.02) << "0.01 is the error of a mean of four";
  EXPECT_EQ(spread->freedom, 3);
}

TEST(ProcessSpread, OfProcessesThatAreAllAlikeIsNone) {
  const auto spread = largest_process_spread({{0.02, 0, 2, true}});
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->log_stddev, 0);
}

TEST(ProcessSpread, WidensWhatKnowsOfOneProcess) {
  const ProcessSpread spread{0.004, 2};
  const Level of_slices = with_process_spread(kOfSlices, spread);
  EXPECT_DOUBLE_EQ(of_slices.log_error, 0.005);
  EXPECT_EQ(of_slices.freedom, 2);
  EXPECT_FALSE(of_slices.is_between_processes);
  EXPECT_EQ(with_process_spread(kOfProcesses, spread).log_error, kOfProcesses.log_error);
}

MetricRow row_of(double value, double low, std::optional<double> high) {
  MetricRow row;
  row.value = value;
  row.low = low;
  row.high = high;
  row.interval = IntervalKind::kBetweenReplicates;
  row.n = 3;
  return row;
}

TEST(LevelOfARow, ReachesAsFarAsItsInterval) {
  constexpr double kQuantile = 4.302653;  // Student's t, 0.975, two degrees of freedom
  const auto narrow = level_of(row_of(1, 0.98, 1.02));
  ASSERT_TRUE(narrow);
  EXPECT_NEAR(narrow->log_error, 0.0202 / kQuantile, 1e-5);
  const auto wide = level_of(row_of(1, 0.2, 1.8));
  ASSERT_TRUE(wide);
  EXPECT_NEAR(wide->value * std::exp(-kQuantile * wide->log_error), 0.2, 1e-6);
}

TEST(LevelOfARow, WithoutAnEndAboveZeroExcludesNothing) {
  const auto to_zero = level_of(row_of(1, 0, 2.5));
  const auto unbounded = level_of(row_of(1, 0.5, std::nullopt));
  ASSERT_TRUE(to_zero && unbounded);
  EXPECT_GT(to_zero->log_error, 1);
  EXPECT_EQ(unbounded->log_error, to_zero->log_error);
  EXPECT_EQ(level_of(row_of(1, 1e-9, 2.5))->log_error, to_zero->log_error) << "says no less than one that holds 0";
  EXPECT_FALSE(process_spread(*to_zero)) << "a bound is no measured spread, and nothing to lend";
}

TEST(ProcessSpread, GivesAValueOfOneWindowAnError) {
  const Level level = with_process_spread(kOfOneWindow, {0.004, 2});
  EXPECT_EQ(level.log_error, 0.004);
  EXPECT_EQ(level.freedom, 2);
  RandomStream random(1, "level_test");
  int above = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = draw(level, random);
    ASSERT_TRUE(std::isfinite(drawn));
    above += drawn > level.value ? 1 : 0;
  }
  EXPECT_NEAR(above, kDraws / 2, 100);
}

// Two-sided shares beyond three quantiles of Student's t; three standard errors of 20,000 draws.
TEST(Draws, FollowStudentsT) {
  for (const double freedom : {1.0, 2.5, 7.0, 19.0, 150.0, 1000.0}) {
    RandomStream random(1, "draws");
    std::vector<double> deviations;
    for (int i = 0; i < 20000; ++i) {
      deviations.push_back(
          std::abs(std::log(draw({.value = 1, .log_error = 0.01, .freedom = freedom}, random)) / 0.01));
    }
    for (const double beyond : {0.5, 0.05, 0.01}) {
      const double quantile = student_t_quantile(1 - beyond / 2, freedom);
      const auto outside = static_cast<double>(
          std::count_if(deviations.begin(), deviations.end(), [&](double deviation) { return deviation > quantile; }));
      EXPECT_NEAR(outside / 20000, beyond, 3 * std::sqrt(beyond * (1 - beyond) / 20000)) << freedom << ", " << beyond;
    }
  }
}

}  // namespace
}  // namespace transformeter
