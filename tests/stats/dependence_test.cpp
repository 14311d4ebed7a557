// Autocorrelation, effective sample sizes and the Mann-Whitney test.
#include "stats/dependence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "stats/ranks.h"
#include "stats/series.h"

namespace transformeter {
namespace {

TEST(Lag1, FollowsItsDefinition) {
  // Deviations −2, −1, 0, 1, 2: products 2 + 0 + 0 + 2 over squares 10.
  EXPECT_DOUBLE_EQ(lag1_autocorrelation(std::vector<double>{1, 2, 3, 4, 5}).value(), 0.4);
  EXPECT_LT(lag1_autocorrelation(std::vector<double>{1, -1, 1, -1, 1, -1}).value(), -0.8);
}

TEST(Lag1, IsNothingWhereItIsUndefined) {
  EXPECT_FALSE(lag1_autocorrelation(std::vector<double>{1, 2}));
  EXPECT_FALSE(lag1_autocorrelation(std::vector<double>(50, 0.1))) << "only rounding of the mean is left";
  EXPECT_FALSE(lag1_autocorrelation(std::vector<double>{1, std::nan(""), 2, 3}));
}

TEST(EffectiveN, OfAFewSamplesIsTheirNumber) {
  EXPECT_EQ(effective_n_of_mean(std::vector<double>{1, 2, 3, 4, 5, 6}), 6);
  EXPECT_EQ(effective_n_of_quantile(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.5), 6);
}

TEST(EffectiveN, OfAConstantSeriesIsItsLength) {
  for (const std::size_t n : {10u, 50u, 500u}) {
    EXPECT_EQ(effective_n_of_mean(std::vector<double>(n, 2.5)), n);
    EXPECT_EQ(effective_n_of_quantile(std::vector<double>(n, 2.5), 0.9), n);
  }
}

TEST(EffectiveN, OfNanIsOne) {
  std::vector<double> values(200, 1.0);
  values[7] = std::nan("");
  EXPECT_EQ(effective_n_of_mean(values), 1);
  EXPECT_EQ(effective_n_of_quantile(values, 0.5), 1);
}

TEST(EffectiveN, OfALongAr1ProcessNearsTheory) {
  RandomStream random(11);
  for (const double rho : {0.0, 0.3, 0.7, 0.9}) {
    constexpr std::size_t kN = 200000;
    const std::vector<double> values = ar1(kN, rho, random);
    const double mean_theory = kN * (1 - rho) / (1 + rho);
    // For the median: indicators of a bivariate normal correlate by (2 / π) asin r.
    double inflation = 1;
    for (double r = rho; r > 1e-9; r *= rho) inflation += 4 / std::acos(-1.0) * std::asin(r);
    EXPECT_NEAR(effective_n_of_mean(values) / mean_theory, 1, 0.1) << rho;
    EXPECT_NEAR(effective_n_of_quantile(values, 0.5) / (kN / inflation), 1, 0.1) << rho;
  }
}

TEST(EffectiveN, OfAMedianIsNotMovedByOutliers) {
  RandomStream random(5);
  std::vector<double> values = ar1(6000, 0.5, random);
  const double before = effective_n_of_quantile(values, 0.5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 1.5) values[i] = 1e9;
  }
  EXPECT_EQ(effective_n_of_quantile(values, 0.5), before);
}

TEST(EffectiveN, SurvivesATimerWithTwoValues) {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(i % 3 == 0 ? 2e-6 : 1e-6);
  const double effective = effective_n_of_quantile(values, 0.5);
  EXPECT_GE(effective, 1);
  EXPECT_LE(effective, 400);
}

TEST(Ranks, ShareTheMeanOfTies) {
  const Ranks ranks = rank_with_ties(std::vector<double>{3, 1, 3, 2, 3});
  EXPECT_EQ(ranks.rank, (std::vector<double>{4, 1, 4, 2, 4}));
  EXPECT_EQ(ranks.tie_term, 27 - 3);
}

TEST(MannWhitney, AgreesWithScipyForTies) {
  // scipy.stats.mannwhitneyu(..., use_continuity=True, method='asymptotic')
  const std::vector<double> first{1, 2, 2, 3, 5, 6, 7, 8, 8, 9};
  const std::vector<double> second{4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13};
  EXPECT_NEAR(mann_whitney_p(first, second).value(), 0.021673142138686482, 1e-12);
  EXPECT_NEAR(mann_whitney_p(second, first).value(), 0.021673142138686482, 1e-12);
  EXPECT_GT(mann_whitney_p(first, second, 4).value(), 0.2) << "half the z of 2.3 for four times the variance";
}

TEST(MannWhitney, RejectsAsOftenAsItSays) {
  RandomStream random(13);
  int rejected = 0;
  constexpr int kTrials = 2000;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<double> first = ar1(15, 0, random);
    const std::vector<double> second = ar1(15, 0, random);
    if (*mann_whitney_p(first, second) < 0.05) ++rejected;
  }
  EXPECT_NEAR(rejected / static_cast<double>(kTrials), 0.05, 0.015);
}

TEST(MannWhitney, IsNothingWithoutASideOrWithTiesOnly) {
  EXPECT_FALSE(mann_whitney_p({}, std::vector<double>{1, 2}));
  EXPECT_FALSE(mann_whitney_p(std::vector<double>{1, 1}, std::vector<double>{1, 1}));
  EXPECT_FALSE(mann_whitney_p(std::vector<double>{1, std::nan("")}, std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace transformeter
