// Order statistics: values, ranks and the sample counts below which there is no answer.
#include "stats/percentile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace transformeter {
namespace {

std::vector<double> shuffled_ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  RandomStream random(7);
  shuffle(values, random);
  return values;
}

// P(low ≤ count < high) for a Bin(n, p) count, by the sum itself.
double rank_coverage(std::size_t n, double p, const RankInterval& ranks) {
  double sum = 0;
  for (std::size_t k = ranks.low; k < ranks.high; ++k) {
    const double log_choose = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
    sum += std::exp(log_choose + k * std::log(p) + (n - k) * std::log(1 - p));
  }
  return sum;
}

TEST(Percentile, NeedsTheSamplesOfAOneSidedNinetyNinePercentBound) {
  EXPECT_EQ(min_samples_for_percentile(0.9), 44u);
  EXPECT_EQ(min_samples_for_percentile(0.95), 90u);
  EXPECT_EQ(min_samples_for_percentile(0.99), 459u);
  EXPECT_EQ(min_samples_for_percentile(0.999), 4603u);
  for (const double p : {0.9, 0.95, 0.99, 0.999}) {
    const auto n = static_cast<double>(min_samples_for_percentile(p));
    EXPECT_GE(1 - std::pow(p, n), 0.99);
    EXPECT_LT(1 - std::pow(p, n - 1), 0.99);
  }
}

TEST(Percentile, OfTooFewSamplesIsNothing) {
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(10), 0.99, 10)) << "p99 of 10 values";
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(43), 0.9, 43));
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(43), 0.1, 43));
  EXPECT_TRUE(estimate_percentile(shuffled_ranks(44), 0.1, 44));
  EXPECT_TRUE(estimate_percentile(shuffled_ranks(44), 0.9, 44));
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(100), 0.9, 43.5)) << "correlated samples are worth fewer";
}

TEST(Percentile, IsASampleAndNeverInterpolated) {
  // p n = 0.9 · 50 = 45 exactly, in floating point too; 0.9 · 44 = 39.6 rounds up.
  EXPECT_EQ(estimate_percentile(shuffled_ranks(50), 0.9, 50)->value, 45);
  EXPECT_EQ(estimate_percentile(shuffled_ranks(44), 0.9, 44)->value, 40);
  EXPECT_EQ(estimate_percentile(shuffled_ranks(1000), 0.95, 1000)->value, 950);
  EXPECT_EQ(estimate_percentile(shuffled_ranks(50), 0.1, 50)->value, 5);
}

TEST(Percentile, HasAnIntervalAsSoonAsItHasAValue) {
  for (const double p : {0.9, 0.95, 0.99, 0.999}) {
    const std::size_t n = min_samples_for_percentile(p);
    const auto estimate = estimate_percentile(shuffled_ranks(n), p, static_cast<double>(n));
    ASSERT_TRUE(estimate && estimate->interval) << p;
    EXPECT_LE(estimate->interval->low, estimate->value);
    EXPECT_GE(estimate->interval->high, estimate->value);
  }
}

TEST(Percentile, RanksCoverAtLeastNinetyFivePercentAndLittleMore) {
  for (const double p : {0.5, 0.9, 0.99}) {
    for (const std::size_t n : {50u, 63u, 100u, 777u, 5000u}) {
      const auto ranks = quantile_rank_interval(n, p, static_cast<double>(n));
      if (!ranks) continue;
      EXPECT_GE(rank_coverage(n, p, *ranks), 0.95) << n << " " << p;
      if (n * (1 - p) < 20) continue;
      EXPECT_LE(rank_coverage(n, p, *ranks), 0.97) << n << " " << p;
    }
  }
}

TEST(Percentile, RanksOfAMillionSamplesFollowTheNormalLimit) {
  const auto ranks = quantile_rank_interval(1000000, 0.5, 1e6);
  ASSERT_TRUE(ranks);
  // 1.95996 · √(n/4) = 979.98
  EXPECT_NEAR(static_cast<double>(ranks->low), 500000 - 979.98, 1.5);
  EXPECT_NEAR(static_cast<double>(ranks->high), 500001 + 979.98, 1.5);
}

TEST(Percentile, RanksWidenWithTheRootOfTheEffectiveCount) {
  const auto all = quantile_rank_interval(10000, 0.5, 10000);
  const auto quarter = quantile_rank_interval(10000, 0.5, 2500);
  ASSERT_TRUE(all && quarter);
  EXPECT_NEAR(static_cast<double>(quarter->high - quarter->low) / static_cast<double>(all->high - all->low), 2, 0.02);
}

TEST(Median, IntervalNeedsSixSamples) {
  EXPECT_FALSE(estimate_median(shuffled_ranks(5), 5)->interval);
  const auto six = estimate_median(shuffled_ranks(6), 6);
  ASSERT_TRUE(six && six->interval);
  EXPECT_EQ(six->value, 3.5);
  // 1 − 2 · 0.5⁶ = 96.9 %
  EXPECT_EQ(six->interval->low, 1);
  EXPECT_EQ(six->interval->high, 6);
  EXPECT_FALSE(estimate_median(shuffled_ranks(40), 5.9)->interval);
}

TEST(Median, OfNoSamplesOrNanIsNothing) {
  EXPECT_FALSE(estimate_median({}, 0));
  EXPECT_FALSE(estimate_median(std::vector<double>{1, std::nan("")}, 2));
  EXPECT_FALSE(estimate_median(std::vector<double>(10, 1.0), std::nan(""))->interval);
}

TEST(Percentile, OfAConstantSeriesHasNoWidth) {
  const auto estimate = estimate_percentile(std::vector<double>(500, 3.0), 0.99, 500);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 3);
  EXPECT_EQ(estimate->interval->low, 3);
  EXPECT_EQ(estimate->interval->high, 3);
}

TEST(Percentile, OutsideItsRangeIsNothing) {
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(100), 1, 100));
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(100), 0, 100));
  EXPECT_FALSE(estimate_percentile(shuffled_ranks(100), std::nan(""), 100));
  EXPECT_FALSE(quantile_rank_interval(0, 0.5, 0));
}

}  // namespace
}  // namespace transformeter
