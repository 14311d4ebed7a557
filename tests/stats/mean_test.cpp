// Means, ratios, proportions and what replicates make of them.
#include "stats/mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "stats/proportion.h"
#include "stats/ratio.h"
#include "stats/replicates.h"

namespace transformeter {
namespace {

TEST(Mean, HasTheTextbookInterval) {
  // Mean 3, deviation √2.5, t(4) = 2.7764451: 3 ± 2.7764451 · √(2.5 / 5)
  const auto estimate = estimate_mean(std::vector<double>{1, 2, 3, 4, 5});
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 3);
  EXPECT_NEAR(estimate->interval->low, 3 - 2.7764451051977934 * std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(estimate->interval->high, 3 + 2.7764451051977934 * std::sqrt(0.5), 1e-9);
}

TEST(Mean, OfOneSampleHasNoInterval) {
  EXPECT_FALSE(estimate_mean(std::vector<double>{7})->interval);
  EXPECT_FALSE(estimate_mean(std::vector<double>{}));
  EXPECT_FALSE(estimate_mean(std::vector<double>{1, 2, 3, 4}, 1.5)->interval);
  EXPECT_FALSE(estimate_mean(std::vector<double>{1, 2, 3, 4}, std::nan(""))->interval);
}

TEST(Mean, IntervalReachesFurtherTowardsTheLongerTail) {
  std::vector<double> values(30, 1.0);
  for (std::size_t i = 0; i < 5; ++i) values[i * 6] = 2.0;
  const auto estimate = estimate_mean(values);
  EXPECT_GT(estimate->interval->high - estimate->value, 1.05 * (estimate->value - estimate->interval->low));
  for (double& value : values) value = -value;
  const auto mirrored = estimate_mean(values);
  EXPECT_NEAR(mirrored->interval->low, -estimate->interval->high, 1e-12);
}

// Values of ±1 around 0 and one of `largest`.
std::vector<double> with_outlier(std::size_t count, double largest) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(i % 2 == 0 ? 1 : -1);
  values[count / 2] = largest;
  return values;
}

TEST(Mean, HasNoIntervalThatOneSampleDecides) {
  // Of 300: 5² ÷ (299 + 5²) is 0.077, 6² ÷ (299 + 6²) is 0.107.
  const auto within = estimate_mean(with_outlier(300, 5));
  EXPECT_TRUE(within->interval);
  EXPECT_FALSE(within->has_heavy_tail);
  const auto beyond = estimate_mean(with_outlier(300, 6));
  EXPECT_FALSE(beyond->interval);
  EXPECT_TRUE(beyond->has_heavy_tail);
  EXPECT_NEAR(beyond->value, (6 - 1) / 300.0, 1e-12) << "the mean itself is as it was";
  // Of 100, 25 ÷ 100 is the bound, between 5² ÷ (99 + 5²) = 0.20 and 6² ÷ (99 + 6²) = 0.27.
  EXPECT_TRUE(estimate_mean(with_outlier(100, 5))->interval);
  EXPECT_FALSE(estimate_mean(with_outlier(100, 6))->interval);
  EXPECT_TRUE(estimate_mean(with_outlier(99, 1000))->interval) << "too few to tell a tail from chance";
  EXPECT_TRUE(estimate_mean(std::vector<double>(200, 3.0))->interval) << "no deviation at all";
}

TEST(Ratio, HasNoIntervalThatOneSampleDecides) {
  std::vector<double> time(200, 1.0);
  for (std::size_t i = 0; i < time.size(); ++i) time[i] += i % 2 == 0 ? 0.01 : -0.01;
  const std::vector<double> work(200, 8.0);
  EXPECT_TRUE(estimate_ratio(work, time)->interval);
  time[77] = 2;
  const auto ratio = estimate_ratio(work, time);
  EXPECT_FALSE(ratio->interval);
  EXPECT_TRUE(ratio->has_heavy_tail);
}

TEST(Mean, OfTimesEndsAtZero) {
  // Mean 4, s = √27 and t(2) = 4.3: ± 12.9, so a plain t interval begins at -8.9.
  const auto times = estimate_mean(std::vector<double>{1, 1, 10});
  ASSERT_TRUE(times && times->interval);
  EXPECT_EQ(times->interval->low, 0);
  EXPECT_NEAR(times->interval->high, 4 + 4.302652729911275 * 3, 1e-9);
  EXPECT_LT(estimate_mean(std::vector<double>{-1, 1, 10})->interval->low, -5) << "differences may be negative";
}

TEST(Replicates, OfTimesEndAtZero) {
  const std::vector<Estimate> three{{1, std::nullopt, 9, 0}, {1, std::nullopt, 9, 1}, {10, std::nullopt, 9, 2}};
  EXPECT_EQ(combine_slices(three)->estimate.interval->low, 0);
}

TEST(Ratio, IsTotalOverTotalAndNotTheMeanOfRatios) {
  const std::vector<double> work{10, 30};
  const std::vector<double> time{1, 1.5};
  EXPECT_DOUBLE_EQ(estimate_ratio(work, time)->value, 16);
  EXPECT_NE(estimate_ratio(work, time)->value, (10 / 1.0 + 30 / 1.5) / 2);
}

TEST(Ratio, OfConstantWorkHasTheRelativeWidthOfTheMeanTime) {
  RandomStream random(3);
  std::vector<double> time;
  for (int i = 0; i < 15; ++i) time.push_back(1 + 0.01 * random.normal());
  const std::vector<double> work(time.size(), 8.0);
  const auto ratio = estimate_ratio(work, time);
  const auto mean = estimate_mean(time);
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_NEAR(*relative_half_width(*ratio), *relative_half_width(*mean), 1e-3 * *relative_half_width(*mean));
  EXPECT_NEAR(ratio->value, 8 / mean->value, 1e-12);
}

TEST(Ratio, IntervalIgnoresWorkThatTimeFollows) {
  const std::vector<double> work{1, 5, 2, 8, 3, 9};
  std::vector<double> time;
  for (const double w : work) time.push_back(w / 4);
  EXPECT_NEAR(*relative_half_width(*estimate_ratio(work, time)), 0, 1e-12);
}

TEST(Ratio, WithoutTimeOrOfUnequalLengthIsNothing) {
  const std::vector<double> three{1, 2, 3};
  EXPECT_FALSE(estimate_ratio(three, std::vector<double>{0, 0, 0}));
  EXPECT_FALSE(estimate_ratio(three, std::vector<double>{1, 1}));
  EXPECT_FALSE(estimate_ratio(three, std::vector<double>{1, -1, 4}));
  EXPECT_FALSE(estimate_ratio({}, {}));
  EXPECT_FALSE(estimate_ratio(three, std::vector<double>{1, std::nan(""), 1}));
  EXPECT_FALSE(estimate_ratio(std::vector<double>{1, 2}, std::vector<double>{1, 1})->interval);
}

TEST(Proportion, SolvesWilsonsEquation) {
  const auto estimate = estimate_proportion(7, 20);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_DOUBLE_EQ(estimate->value, 0.35);
  // Each end p solves |p̂ − p| = z √(p (1 − p) / n).
  for (const double p : {estimate->interval->low, estimate->interval->high}) {
    EXPECT_NEAR(std::fabs(0.35 - p), 1.959963984540054 * std::sqrt(p * (1 - p) / 20), 1e-12);
  }
}

TEST(Proportion, HasAWidthAtBothEnds) {
  const auto none = estimate_proportion(0, 10);
  EXPECT_EQ(none->interval->low, 0);
  EXPECT_NEAR(none->interval->high, 3.8414588206941245 / (10 + 3.8414588206941245), 1e-12) << "z² / (n + z²)";
  const auto all = estimate_proportion(10, 10);
  EXPECT_EQ(all->interval->high, 1);
  EXPECT_NEAR(all->interval->low, 1 - none->interval->high, 1e-12);
  EXPECT_FALSE(estimate_proportion(0, 0));
  EXPECT_FALSE(estimate_proportion(3, 2));
}

TEST(Replicates, OneKeepsItsOwnIntervalAndSaysSo) {
  const std::vector<Estimate> one{{2, Interval{1.9, 2.2}, 50}};
  const auto combined = combine_slices(one);
  ASSERT_TRUE(combined);
  EXPECT_EQ(combined->kind, IntervalKind::kSingleWindow);
  EXPECT_EQ(name_of(combined->kind), "single_window");
  EXPECT_EQ(combined->estimate.interval->high, 2.2);
  EXPECT_EQ(combined->estimate.n, 50u);
}

TEST(Replicates, TwoGiveTheHullOfBothIntervals) {
  const std::vector<Estimate> two{{2, Interval{1.9, 2.2}, 50}, {3, Interval{2.8, 3.1}, 40}};
  const auto combined = combine_slices(two);
  ASSERT_TRUE(combined);
  EXPECT_EQ(combined->estimate.value, 2.5);
  EXPECT_EQ(combined->kind, IntervalKind::kSingleWindow);
  EXPECT_EQ(combined->estimate.interval->low, 1.9);
  EXPECT_EQ(combined->estimate.interval->high, 3.1);
  EXPECT_EQ(combined->estimate.n, 90u);
}

TEST(Replicates, ThreeGiveATIntervalOverTheirValues) {
  const std::vector<Estimate> three{{1, std::nullopt, 9, 0}, {2, std::nullopt, 9, 1}, {3, std::nullopt, 9, 2}};
  const auto combined = combine_slices(three);
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_EQ(combined->kind, IntervalKind::kBetweenReplicates);
  EXPECT_EQ(combined->estimate.n, 3u);
  EXPECT_NEAR(combined->estimate.interval->high, 2 + 4.302652729749462 / std::sqrt(3), 1e-9) << "t(2) · 1 / √3";
}

TEST(Replicates, OfSeveralSlicesEachCountOnce) {
  // The means of the three processes are 1, 2 and 3.
  const std::vector<Estimate> six{{0.9, std::nullopt, 9, 0}, {1.1, std::nullopt, 9, 0}, {2.2, std::nullopt, 9, 1},
                                  {1.8, std::nullopt, 9, 1}, {2.9, std::nullopt, 9, 2}, {3.1, std::nullopt, 9, 2}};
  const auto combined = combine_slices(six);
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_EQ(combined->kind, IntervalKind::kBetweenReplicates);
  EXPECT_EQ(combined->estimate.n, 3u);
  EXPECT_NEAR(combined->estimate.interval->high, 2 + 4.302652729749462 / std::sqrt(3), 1e-9);
}

// 1 and 3 in turn, `step_s` apart.
std::vector<Estimate> slices_of_one_process(std::size_t count, double step_s) {
  std::vector<Estimate> slices;
  for (std::size_t i = 0; i < count; ++i) {
    slices.push_back({i % 2 == 0 ? 1.0 : 3.0, std::nullopt, 5, 0, step_s * static_cast<double>(i)});
  }
  return slices;
}

// Twelve examples in 4 s: slices of 1, 1 and 2 s.
TEST(Slices, RatiosAreTotalOverTotal) {
  const auto slice = [](double work, double time, int process) {
    Estimate one = *estimate_ratio(std::vector<double>{work}, std::vector<double>{time});
    one.process = process;
    return one;
  };
  const std::vector<Estimate> one_process{slice(6, 1, 0), slice(4, 1, 0), slice(2, 2, 0)};
  EXPECT_DOUBLE_EQ(combine_slices(one_process)->estimate.value, 3) << "the mean of the three is 11 / 3";
  const std::vector<Estimate> three{slice(6, 1, 0), slice(4, 1, 1), slice(2, 2, 2)};
  const auto combined = combine_slices(three);
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_DOUBLE_EQ(combined->estimate.value, 3);
  // Deviations of work from 3 · time: 3, 1 and -4, by the mean time of 4 / 3.
  const double deviation = std::sqrt((9.0 + 1 + 16) / 2) / (4.0 / 3);
  EXPECT_NEAR(combined->estimate.interval->high, 3 + 4.302652729749462 * deviation / std::sqrt(3), 1e-9);
}

// Work of 8 slices in 1 or 3 s each, on one line of time.
TEST(Slices, OfUnequalLengthHaveTheErrorOfTheirTotals) {
  std::vector<Estimate> slices = slices_of_one_process(8, 160);
  const std::vector<double> work{6, 5, 7, 6, 18, 17, 19, 16};
  double total_work = 0;
  double total_time = 0;
  const auto time_of = [](std::size_t i) { return i < 4 ? 1.0 : 3.0; };
  for (std::size_t i = 0; i < work.size(); ++i) {
    slices[i].value = work[i] / time_of(i);
    slices[i].weight = time_of(i);
    total_work += work[i];
    total_time += time_of(i);
  }
  const double ratio = total_work / total_time;
  double squares = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    squares += (work[i] - ratio * time_of(i)) * (work[i] - ratio * time_of(i));
  }
  const double deviation = std::sqrt(squares / 7) / (total_time / 8);
  const auto combined = combine_slices(slices);
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_EQ(combined->kind, IntervalKind::kBetweenSlices);
  EXPECT_DOUBLE_EQ(combined->estimate.value, ratio);
  EXPECT_NEAR(combined->estimate.interval->high, ratio + 2.3646242510103 * deviation / std::sqrt(8), 1e-9);
}

TEST(Slices, OfAProcessCountByTheirWeights) {
  std::vector<Estimate> slices;
  for (int process = 0; process < 3; ++process) {
    for (const double weight : {1.0, 3.0}) {
      slices.push_back({process + weight, std::nullopt, 4});
      slices.back().process = process;
      slices.back().weight = weight;
    }
  }
  // (1 · 1 + 3 · 3) ÷ 4 in the first, and one more in each of the others.
  EXPECT_DOUBLE_EQ(combine_slices(slices)->estimate.value, 3.5);
}

TEST(Slices, OfMeansCountEachProcessOnce) {
  std::vector<Estimate> slices;
  for (const auto& [process, value] : {std::pair(0, 1.0), {0, 1.0}, {0, 1.0}, {1, 2.0}, {2, 6.0}}) {
    slices.push_back({value, std::nullopt, 4});
    slices.back().process = process;
  }
  EXPECT_DOUBLE_EQ(combine_slices(slices)->estimate.value, 3);
}

TEST(Slices, OfNoNegativeRatioHaveNoIntervalBelowZero) {
  std::vector<Estimate> slices;
  for (const auto& [rate, seconds] : {std::pair(80, 0.1), {80, 0.1}, {16, 0.5}}) {
    slices.push_back({static_cast<double>(rate), std::nullopt, 4});
    slices.back().process = static_cast<int>(slices.size());
    slices.back().weight = seconds;
  }
  EXPECT_EQ(combine_slices(slices)->estimate.interval->low, 0);
}

TEST(Slices, OneAloneKeepsANegativeEnd) {
  const std::vector<Estimate> one{{0.1, Interval{-0.2, 0.4}, 40}};
  EXPECT_EQ(combine_slices(one)->estimate.interval->low, -0.2);
}

TEST(Slices, OfOneWeightAreTakenAsTheyAre) {
  std::vector<Estimate> slices = slices_of_one_process(8, 75.0 / 7);
  const auto plain = combine_slices(slices);
  for (Estimate& one : slices) one.weight = 0.3;
  EXPECT_EQ(combine_slices(slices)->estimate.value, plain->estimate.value);
  EXPECT_EQ(combine_slices(slices)->estimate.interval->high, plain->estimate.interval->high);
}

TEST(Slices, SpreadOverLongAreIndependent) {
  // s² = 8/7 over 8 slices, t(7) = 2.3646; 150 s and more lie between any two.
  const auto combined = combine_slices(slices_of_one_process(8, 160));
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_EQ(combined->kind, IntervalKind::kBetweenSlices);
  EXPECT_EQ(name_of(combined->kind), "between_slices");
  EXPECT_EQ(combined->estimate.n, 8u);
  EXPECT_NEAR(combined->estimate.interval->high, 2 + 2.3646242510103 * std::sqrt(8.0 / 7 / 8), 1e-9);
}

TEST(Slices, CloseTogetherCountAsFewer) {
  // 75 s from the first to the last: 1 + 75 / 150 independent looks.
  const auto combined = combine_slices(slices_of_one_process(8, 75.0 / 7));
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_NEAR(combined->estimate.interval->high, 2 + 2.3646242510103 * std::sqrt(8.0 / 7 / 1.5), 1e-9);
}

TEST(Slices, OwnScatterIsAveragedOutAtOnce) {
  std::vector<Estimate> slices = slices_of_one_process(8, 60.0 / 7);
  for (Estimate& slice : slices) slice.sampling_variance = 10;  // more than all there is
  const auto combined = combine_slices(slices);
  ASSERT_TRUE(combined && combined->estimate.interval);
  EXPECT_NEAR(combined->estimate.interval->high, 2 + 2.3646242510103 * std::sqrt(8.0 / 7 / 8), 1e-9);
}

TEST(Slices, TooFewOrTooCloseAreStillASingleWindow) {
  for (const auto& slices : {slices_of_one_process(7, 60), slices_of_one_process(8, 5)}) {
    const auto combined = combine_slices(slices);
    ASSERT_TRUE(combined && combined->estimate.interval);
    EXPECT_EQ(combined->kind, IntervalKind::kSingleWindow);
    EXPECT_EQ(combined->estimate.n, slices.size());
  }
}

TEST(Replicates, WithoutIntervalsOrValuesSayNone) {
  EXPECT_FALSE(combine_slices({}));
  EXPECT_EQ(combine_slices(std::vector<Estimate>{{2, std::nullopt, 3}})->kind, IntervalKind::kNone);
  EXPECT_EQ(combine_slices(std::vector<Estimate>{{2, Interval{1, 3}, 9}, {2, std::nullopt, 3}})->kind,
            IntervalKind::kNone);
  EXPECT_FALSE(combine_slices(std::vector<Estimate>{{std::nan(""), std::nullopt, 3}}));
}

}  // namespace
}  // namespace transformeter
