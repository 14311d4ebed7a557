// The percentile bootstrap on statistics whose spread is known.
#include "stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace transformeter {
namespace {

// Units 0 … n − 1 are worth their index: the mean's standard error is √((n² − 1) / 12 n).
std::optional<double> mean_of(std::span<const std::size_t> units) {
  return std::accumulate(units.begin(), units.end(), 0.0) / static_cast<double>(units.size());
}

TEST(Bootstrap, HasTheNormalWidthForAMean) {
  const std::size_t n = 400;
  const auto interval = bootstrap_interval(n, mean_of, {4000, 1});
  ASSERT_TRUE(interval);
  const double error = std::sqrt((n * n - 1.0) / 12 / n);
  EXPECT_NEAR(interval->low, (n - 1) / 2.0 - 1.96 * error, 0.15 * error);
  EXPECT_NEAR(interval->high, (n - 1) / 2.0 + 1.96 * error, 0.15 * error);
}

TEST(Bootstrap, RepeatsForASeedAndDiffersForAnother) {
  const auto first = bootstrap_interval(50, mean_of, {200, 1});
  EXPECT_EQ(first->low, bootstrap_interval(50, mean_of, {200, 1})->low);
  EXPECT_NE(first->low, bootstrap_interval(50, mean_of, {200, 2})->low);
}

TEST(Bootstrap, GivesNothingForFewUnitsOrAStatisticThatIsOftenUndefined) {
  EXPECT_FALSE(bootstrap_interval(9, mean_of));
  EXPECT_TRUE(bootstrap_interval(10, mean_of));
  const auto undefined = [](std::span<const std::size_t> units) -> std::optional<double> {
    if (units[0] < 10) return std::nullopt;
    return 1.0;
  };
  EXPECT_FALSE(bootstrap_interval(100, undefined)) << "a tenth of the resamples has no value";
}

}  // namespace
}  // namespace transformeter
