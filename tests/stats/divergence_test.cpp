// Differences of a few numbers, worked out by hand.
#include "stats/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace transformeter {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Divergence, TheSpreadIsThatBetweenRows) {
  // Columns 1 3 5 and 10 10 16: means 3 and 12; squares 4 + 0 + 4 and 4 + 4 + 16 = 32 over (3 − 1) · 2.
  EXPECT_DOUBLE_EQ(spread_between_rows(std::vector<float>{1, 10, 3, 10, 5, 16}, 2).value(), std::sqrt(8.0));
  // However far from zero, and however far the columns lie from each other.
  EXPECT_DOUBLE_EQ(spread_between_rows(std::vector<float>{1001, -90, 1003, -90, 1005, -84}, 2).value(), std::sqrt(8.0));
}

TEST(Divergence, AConstantAnswerIsOffByAboutTheSpread) {
  const std::vector<float> rows{1, 10, 3, 10, 5, 16};
  const std::vector<float> mean{3, 12};
  RowDifferences differences;
  for (std::size_t at = 0; at < rows.size(); at += 2) differences.add(mean, std::span(rows).subspan(at, 2));
  EXPECT_DOUBLE_EQ(differences.root_mean_square() / spread_between_rows(rows, 2).value(), std::sqrt(2.0 / 3));
}

TEST(Divergence, RowsWithoutADifferenceHaveNoSpread) {
  EXPECT_FALSE(spread_between_rows(std::vector<float>{}, 2));
  EXPECT_FALSE(spread_between_rows(std::vector<float>{1, 2}, 2)) << "one row";
  EXPECT_FALSE(spread_between_rows(std::vector<float>{1, 2}, 0));
  EXPECT_FALSE(spread_between_rows(std::vector<float>{0.1F, 7, 0.1F, 7, 0.1F, 7}, 2)) << "all the same";
  EXPECT_FALSE(spread_between_rows(std::vector<float>{7, kNan}, 1));
  EXPECT_FALSE(spread_between_rows(std::vector<float>{7, std::numeric_limits<float>::infinity()}, 1));
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
