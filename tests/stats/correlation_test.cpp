// Against scipy.stats.pearsonr and spearmanr.
#include "stats/correlation.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

const std::vector<double> kX = {0.1, 2.5, 2.5, 4.0, 3.2, 1.0};
const std::vector<double> kY = {0.0, 3.0, 2.0, 5.0, 5.0, 0.5};
const std::vector<std::size_t> kSix = {0, 1, 2, 3, 4, 5};

TEST(Correlation, IsScipys) {
  EXPECT_NEAR(*pearson(kX, kY, kSix), 0.9484589946924822, 1e-14);
  EXPECT_NEAR(*spearman(kX, kY, kSix), 0.9705882352941178, 1e-14);
  const std::vector<std::size_t> some = {0, 0, 2, 5, 3};
  EXPECT_NEAR(*pearson(kX, kY, some), 0.9733231961501987, 1e-14);
  EXPECT_NEAR(*spearman(kX, kY, some), 1.0, 1e-14);
}

TEST(Correlation, LosesNoDigitsToALargeMean) {
  std::vector<double> x;
  for (const double value : {1.0, 2.0, 3.0, 4.0}) x.push_back(1e9 + value);
  EXPECT_NEAR(*pearson(x, std::vector<double>{1, 3, 2, 4}, std::vector<std::size_t>{0, 1, 2, 3}), 0.8, 1e-12);
}

TEST(Correlation, OfAConstantOrOfOnePairIsNothing) {
  EXPECT_FALSE(pearson(std::vector<double>{2, 2, 2}, std::vector<double>{1, 2, 3}, std::vector<std::size_t>{0, 1, 2}));
  const std::vector<double> tenths = {0.1, 0.1, 0.1};  // whose mean is not 0.1
  EXPECT_FALSE(pearson(tenths, std::vector<double>{1, 2, 3}, std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(pearson(tenths, tenths, std::vector<std::size_t>{0, 1, 2}));
  EXPECT_FALSE(spearman(kX, kY, std::vector<std::size_t>{1, 1, 1}));
  EXPECT_FALSE(pearson(kX, kY, std::vector<std::size_t>{3}));
  EXPECT_FALSE(pearson(kX, kY, std::vector<std::size_t>{}));
}

TEST(Correlation, UnequalSizesAreAFault) {
  EXPECT_THROW(pearson(kX, std::vector<double>{1}, kSix), Error);
}

}  // namespace
}  // namespace transformeter
