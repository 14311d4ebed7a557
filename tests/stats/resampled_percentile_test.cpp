// The error of a pooled percentile from resampled units, against what is known of it.
#include "stats/resampled_percentile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace transformeter {
namespace {

TEST(ResampledPercentileError, IsNoneWhereAllUnitsAreAlike) {
  const std::vector<std::vector<double>> units(5, {1, 2, 3, 4});
  const auto error = resampled_percentile_error(units, 0.95);
  ASSERT_TRUE(error);
  EXPECT_EQ(*error, 0);
}

// Units of one value each: the pooled median is the median of the units.
TEST(ResampledPercentileError, IsThatOfTheMedianOfUnits) {
  RandomStream random(3);
  double sum = 0;
  constexpr int kTrials = 60;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> units;
    for (int unit = 0; unit < 41; ++unit) units.emplace_back(7, 10 + random.normal());
    sum += *resampled_percentile_error(units, 0.5, {400, static_cast<std::uint64_t>(trial)});
  }
  // The standard error of a median of 41 normal values: √(π ÷ 2 ÷ 41).
  EXPECT_NEAR(sum / kTrials, std::sqrt(M_PI / 2 / 41), 0.03);
}

TEST(ResampledPercentileError, GrowsWithWhatUnitsDifferBy) {
  const auto error_of = [](double spread) {
    std::vector<std::vector<double>> units;
    for (int unit = 0; unit < 3; ++unit) {
      std::vector<double>& samples = units.emplace_back();
      for (int i = 0; i < 100; ++i) samples.push_back(1 + 0.001 * i + spread * unit);
    }
    return *resampled_percentile_error(units, 0.95);
  };
  EXPECT_GT(error_of(0.5), 5 * error_of(0.05));
}

TEST(ResampledPercentileError, NeedsThreeUnitsWithFiniteSamples) {
  const std::vector<double> samples{1, 2, 3};
  EXPECT_FALSE(resampled_percentile_error(std::vector<std::vector<double>>{samples, samples}, 0.95));
  EXPECT_FALSE(resampled_percentile_error(std::vector<std::vector<double>>{samples, samples, {}}, 0.95));
  EXPECT_FALSE(resampled_percentile_error(std::vector<std::vector<double>>{samples, samples, {NAN}}, 0.95));
  EXPECT_FALSE(resampled_percentile_error(std::vector<std::vector<double>>{samples, samples, samples}, 0.95, {0, 0}));
}

}  // namespace
}  // namespace transformeter
