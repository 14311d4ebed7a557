// Shares of scores in bf16, against softmax in fp64.
#include "engine/bf16_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace transformeter {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kRounding = 1.0 / 256;  // of a share to bf16: half a unit in the last of 8 bits

std::vector<c10::BFloat16> random_scores(std::int64_t count, float spread) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0, spread);
  std::vector<c10::BFloat16> scores;
  for (std::int64_t i = 0; i < count; ++i) scores.emplace_back(normal(random));
  return scores;
}

std::vector<double> expected_shares(const std::vector<c10::BFloat16>& scores, const SoftmaxRow& row) {
  std::vector<double> shares(scores.size());
  double largest = -kInfinity;
  for (std::int64_t i = 0; i < row.seen; ++i) {
    const auto place = static_cast<std::size_t>(i);
    shares[place] = static_cast<double>(scores[place]) * row.scale + (row.mask != nullptr ? row.mask[i] : 0);
    largest = std::max(largest, shares[place]);
  }
  double sum = 0;
  for (std::int64_t i = 0; i < row.columns; ++i) {
    double& share = shares[static_cast<std::size_t>(i)];
    share = i < row.seen ? std::exp(share - largest) : 0;
    sum += share;
  }
  for (double& share : shares) share /= sum;
  return shares;
}

void expect_shares(std::vector<c10::BFloat16> scores, const SoftmaxRow& row) {
  const std::vector<double> expected = expected_shares(scores, row);
  Bf16SoftmaxRows shares(row.columns);
  shares.soften(scores.data(), row);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // Below the smallest exponential that counts nothing is left.
    ASSERT_NEAR(static_cast<double>(scores[i]), expected[i], expected[i] * (kRounding + 1e-5) + 1e-37)
        << i << " of " << row.columns;
  }
}

TEST(Bf16Softmax, AreThoseOfSoftmaxForRowsOfAnyLength) {
  for (std::int64_t columns = 1; columns <= 70; ++columns) {
    expect_shares(random_scores(columns, 8), {0.25F, nullptr, columns, columns});
  }
  expect_shares(random_scores(4096, 30), {0.125F, nullptr, 4096, 4096});
}

TEST(Bf16Softmax, HaveNothingAfterWhatIsSeenAndWhereAMaskHides) {
  for (const std::int64_t seen : {1, 15, 16, 17, 33, 40}) {
    expect_shares(random_scores(40, 4), {0.5F, nullptr, 40, seen});
    std::vector<float> mask(40, 0.25F);
    mask[0] = 1.5F;
    for (std::size_t i = 1; i < mask.size(); i += 3) mask[i] = i % 2 == 0 ? -kInfinity : -3.38e38F;
    expect_shares(random_scores(40, 4), {0.5F, mask.data(), 40, seen});
  }
}

TEST(Bf16Softmax, AreZeroWhereNothingIsSeenAndNoNumberWhereThereIsNone) {
  std::vector<c10::BFloat16> scores = random_scores(20, 4);
  const std::vector<float> mask(20, -kInfinity);
  Bf16SoftmaxRows shares(20);
  shares.soften(scores.data(), {1, mask.data(), 20, 20});
  for (const c10::BFloat16 score : scores) EXPECT_EQ(static_cast<float>(score), 0.0F);

  for (const float* const hiding : {static_cast<const float*>(nullptr), mask.data()}) {
    for (const std::size_t place : {0U, 7U, 19U}) {
      scores = random_scores(20, 4);
      scores[place] = std::numeric_limits<float>::quiet_NaN();
      shares.soften(scores.data(), {1, hiding, 20, 20});
      for (const c10::BFloat16 score : scores) EXPECT_TRUE(std::isnan(static_cast<float>(score)));
    }
  }
}

}  // namespace
}  // namespace transformeter
