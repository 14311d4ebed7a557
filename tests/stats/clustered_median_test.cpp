// The interval of a median whose samples come in slices.
#include "stats/clustered_median.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace transformeter {
namespace {

using Slices = std::vector<std::vector<double>>;

// 1 % jitter; `is_slow` tells for slice and sample whether it takes 60 % longer.
template <typename IsSlow>
Slices slices_of(std::size_t count, std::size_t samples, IsSlow is_slow) {
  RandomStream random(1);
  Slices slices(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < samples; ++k) {
      slices[i].push_back((1 + 0.01 * random.normal()) * (is_slow(i, k) ? 1.6 : 1));
    }
  }
  return slices;
}

TEST(ClusteredMedian, IsNarrowWhereSlicesAreAlike) {
  const auto interval = clustered_median_interval(slices_of(8, 10, [](auto, auto) { return false; }));
  ASSERT_TRUE(interval);
  EXPECT_GT(interval->low, 0.99);
  EXPECT_LT(interval->high, 1.02);
}

TEST(ClusteredMedian, HoldsBothModesWhereWholeSlicesAreSlow) {
  const auto interval = clustered_median_interval(slices_of(8, 10, [](auto i, auto) { return i % 3 == 0; }));
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 1.02);
  EXPECT_GT(interval->high, 1.5);
}

TEST(ClusteredMedian, StaysInTheFastModeWhereEverySliceHasBoth) {
  const auto interval = clustered_median_interval(slices_of(16, 10, [](auto, auto k) { return k % 4 == 0; }));
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->high, 1.05);
}

// With eight slices unseen bursts may hold 1 − 0.05^(1/8) = 31 % of the time: the median is then the quantile 0.73.
TEST(ClusteredMedian, AllowsForBurstsThatNoSliceMet) {
  Slices slices;
  for (std::size_t i = 0; i < 8; ++i) {
    slices.emplace_back();
    for (std::size_t k = 0; k <= 100; ++k) slices.back().push_back(1 + static_cast<double>(k) / 100);
  }
  const auto interval = clustered_median_interval(slices);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 1.5);  // all slices are alike
  EXPECT_NEAR(interval->high, 1.73, 0.011);
}

// Two of sixteen slices are slow.
TEST(ClusteredMedian, IsWiderWhereFewerSlicesAreIndependent) {
  const Slices slices = slices_of(16, 10, [](auto i, auto) { return i % 8 == 0; });
  const auto all = clustered_median_interval(slices);
  const auto eight = clustered_median_interval(slices, 8);
  ASSERT_TRUE(all && eight);
  EXPECT_LT(all->high, 1.1);
  EXPECT_LT(eight->low, all->low);
  EXPECT_GT(eight->high, all->high);
  const auto more = clustered_median_interval(slices, 1e300);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->high, all->high) << "no more than there are";
}

TEST(ClusteredMedian, IsUnknownWhereAnEndLiesBeyondTheSamples) {
  const Slices slices = slices_of(16, 10, [](auto i, auto) { return i % 8 == 0; });
  for (const double independent : {4.0, 2.0, 1 + 1e-12, 1.0, 0.0}) {
    EXPECT_FALSE(clustered_median_interval(slices, independent)) << independent;
  }
  const Slices alike(8, std::vector<double>{1, 2, 3});
  EXPECT_FALSE(clustered_median_interval(alike, 1 + 1e-12));
  EXPECT_TRUE(clustered_median_interval(alike, 5));
}

TEST(ClusteredMedian, NeedsTwoSlicesWithSamples) {
  EXPECT_FALSE(clustered_median_interval(Slices{}));
  EXPECT_FALSE(clustered_median_interval(Slices{{1, 2, 3}}));
  EXPECT_FALSE(clustered_median_interval(Slices{{1, 2, 3}, {}}));
}

}  // namespace
}  // namespace transformeter
