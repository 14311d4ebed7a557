// Differences of a few numbers, worked out by hand.
#include "stats/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace transformeter {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Divergence, TheSpreadIsTheStandardDeviation) {
  // Mean 3; squares 4 + 1 + 0 + 1 + 4 = 10; √(10 ÷ 4).
  EXPECT_DOUBLE_EQ(spread_of(std::vector<float>{1, 2, 3, 4, 5}).value(), std::sqrt(2.5));
}

TEST(Divergence, TheSpreadAboutZeroNeedsNoMean) {
  EXPECT_DOUBLE_EQ(spread_about_zero(std::vector<float>{3, 4}).value(), std::sqrt(12.5));  // (9 + 16) ÷ 2
  EXPECT_DOUBLE_EQ(spread_about_zero(std::vector<float>{7, 7}).value(), 7);
  EXPECT_FALSE(spread_about_zero(std::vector<float>{}));
  EXPECT_FALSE(spread_about_zero(std::vector<float>{0, 0}));
  EXPECT_FALSE(spread_about_zero(std::vector<float>{1, kNan}));
}

TEST(Divergence, NumbersWithoutAScaleHaveNoSpread) {
  EXPECT_FALSE(spread_of(std::vector<float>{}));
  EXPECT_FALSE(spread_of(std::vector<float>{7}));
  EXPECT_FALSE(spread_of(std::vector<float>{7, 7, 7}));
  EXPECT_FALSE(spread_of(std::vector<float>{7, kNan}));
  EXPECT_FALSE(spread_of(std::vector<float>{7, std::numeric_limits<float>::infinity()}));
}

TEST(Divergence, SumsDifferencesOverAllRows) {
  RowDifferences differences;
  differences.add(std::vector<float>{1, 2}, std::vector<float>{1, 4});    // 0 and 2
  differences.add(std::vector<float>{-3, 5}, std::vector<float>{-2, 5});  // 1 and 0
  EXPECT_DOUBLE_EQ(differences.root_mean_square(), std::sqrt((4.0 + 1.0) / 4));
  EXPECT_DOUBLE_EQ(differences.largest(), 2);
  EXPECT_EQ(differences.rows(), 2U);
  EXPECT_EQ(differences.agreed(), 2U);
}

TEST(Divergence, RowsAgreeWhereTheLargestValueStandsAtTheSamePlace) {
  RowDifferences differences;
  differences.add(std::vector<float>{1, 2, 0}, std::vector<float>{0, 9, 1});
  differences.add(std::vector<float>{2, 1, 0}, std::vector<float>{0, 9, 1});
  differences.add(std::vector<float>{5, 5, 0}, std::vector<float>{9, 0, 0});  // the first of equals
  EXPECT_EQ(differences.agreed(), 2U);
}

TEST(Divergence, ANumberThatIsNoneIsNotLost) {
  RowDifferences differences;
  differences.add(std::vector<float>{kNan, 2}, std::vector<float>{1, 2});
  differences.add(std::vector<float>{1, 2}, std::vector<float>{1, 2});
  EXPECT_TRUE(std::isnan(differences.root_mean_square()));
  EXPECT_EQ(RowDifferences().root_mean_square(), 0);
}

}  // namespace
}  // namespace transformeter
