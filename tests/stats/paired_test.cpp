// Against tables of the signed-rank distribution.
#include "stats/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace transformeter {
namespace {

TEST(SignedRank, CentreIsTheMedianOfTheWalshMeans) {
  // 1, 2, 6 and their pairs 1.5, 3.5, 4: the third and fourth of 1, 1.5, 2, 3.5, 4, 6.
  const auto estimate = signed_rank_estimate(std::vector<double>{6, 1, 2});
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->value, 2.75, 1e-12);
  EXPECT_EQ(estimate->n, 3u);
  EXPECT_FALSE(estimate->interval) << "three cannot carry 99 %";
}

// Of 8 differences P(T <= 0) = 1/256 = 0.0039 and P(T <= 1) = 2/256 = 0.0078: at 99 % none is left out.
TEST(SignedRank, IntervalEndsWhereTheTableSays) {
  const std::vector<double> powers{1, 2, 4, 8, 16, 32, 64, 128};
  const auto estimate = signed_rank_estimate(powers);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->interval->low, 1);
  EXPECT_EQ(estimate->interval->high, 128);
  // P(T <= 2) = 3/256 = 0.0117: one is left out on either side at 98 %.
  const auto at_98 = signed_rank_estimate(powers, 0.98);
  EXPECT_EQ(at_98->interval->low, 1.5);
  EXPECT_EQ(at_98->interval->high, 96);
  EXPECT_FALSE(signed_rank_estimate(std::span(powers).first(7))->interval) << "2/128 is more than 1 %";
  // P(T <= 3) = 5/256 = 0.0195 and P(T <= 4) = 7/256 = 0.0273: three are left out at 95 %.
  const auto at_95 = signed_rank_estimate(powers, 0.95);
  EXPECT_EQ(at_95->interval->low, 2.5) << "after 1, 1.5 and 2";
}

TEST(SignedRank, OneOutlierDoesNotDecide) {
  std::vector<double> differences(11, 0.05);
  differences.push_back(-40);
  const auto estimate = signed_rank_estimate(differences);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 0.05);
  EXPECT_LT(estimate->interval->low, 0.05);
}

TEST(SignedRank, NothingForNothingOrWhatIsNotFinite) {
  EXPECT_FALSE(signed_rank_estimate({}));
  EXPECT_FALSE(signed_rank_estimate(std::vector<double>{1, std::nan("")}));
}

TEST(PairedLooks, LieFurtherAndFurtherApart) {
  std::vector<std::size_t> looks;
  for (std::size_t count = 0; count <= 100; ++count) {
    if (count > 0 && last_paired_look(count) == count) looks.push_back(count);
  }
  EXPECT_EQ(looks, (std::vector<std::size_t>{8, 12, 17, 24, 34, 48, 68, 96}));
  EXPECT_EQ(last_paired_look(7), 0U);
  EXPECT_EQ(last_paired_look(16), 12U);
}

// 2,000 series without a difference, each looked at up to 48 differences. A standard error is 0.5 points.
TEST(PairedLooks, RaiseFewFalseAlarms) {
  RandomStream random(5, "paired");
  int alarms = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> differences;
    bool is_alarmed = false;
    while (differences.size() < 48 && !is_alarmed) {
      differences.push_back(random.normal());
      if (last_paired_look(differences.size()) != differences.size()) continue;
      const auto estimate = signed_rank_estimate(differences);
      is_alarmed = estimate->interval->low > 0 || estimate->interval->high < 0;
    }
    alarms += is_alarmed ? 1 : 0;
  }
  EXPECT_LE(alarms, 0.05 * kTrials);
  EXPECT_GE(alarms, 0.01 * kTrials) << "an interval too wide to be of use";
}

}  // namespace
}  // namespace transformeter
