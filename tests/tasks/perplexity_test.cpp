// Windows that score each token once, and the arithmetic on log probabilities.
#include "tasks/perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace transformeter {
namespace {

TEST(SlidingWindows, ScoreEveryTokenButTheFirstOnce) {
  for (const std::size_t tokens : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 64u, 100u}) {
    for (const std::size_t stride : {1u, 3u, 7u}) {
      std::vector<int> scored(tokens);
      for (const TextWindow& window : sliding_windows(tokens, 8, stride)) {
        EXPECT_LE(window.end - window.begin, 8u);
        EXPECT_GT(window.scored, window.begin) << "a token is predicted from what is before it";
        for (std::size_t i = window.scored; i < window.end; ++i) ++scored[i];
      }
      for (std::size_t i = 1; i < tokens; ++i) EXPECT_EQ(scored[i], 1) << tokens << " " << stride << " " << i;
      if (tokens > 0) {
        EXPECT_EQ(scored[0], 0);
      }
    }
  }
}

TEST(SlidingWindows, GiveEachTokenAtLeastTheContextThatTheStrideLeaves) {
  for (const TextWindow& window : sliding_windows(1000, 64, 16)) {
    if (window.begin > 0) {
      EXPECT_EQ(window.scored - window.begin, 64u - 16u);
    }
  }
}

TEST(SlidingWindows, LoseTheFirstTokenOfEachDisjointWindow) {
  const auto windows = sliding_windows(10, 4, 4);
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[1].begin, 4u);
  EXPECT_EQ(windows[1].scored, 5u);
  EXPECT_EQ(windows[2].end, 10u);
}

TEST(SlidingWindows, RefuseImpossibleSizes) {
  EXPECT_THROW(sliding_windows(10, 1, 1), Error);
  EXPECT_THROW(sliding_windows(10, 8, 0), Error);
  EXPECT_THROW(sliding_windows(10, 8, 9), Error);
}

TEST(ScorePerplexity, IsTheInverseGeometricMeanOfTheProbabilities) {
  // Probabilities 1/2, 1/8 and 1/4: geometric mean 1/4.
  const TextSize size{1, 2};
  const ScoreReport report = score_perplexity({{std::log(0.5), std::log(0.125)}, {std::log(0.25)}}, &size);
  ASSERT_EQ(report.scores.size(), 3u);
  EXPECT_NEAR(report.scores[0].estimate.value, 4, 1e-12);
  EXPECT_EQ(report.scores[0].estimate.n, 3u);
  EXPECT_NEAR(report.scores[1].estimate.value, 64, 1e-9) << "six bits in one word";
  EXPECT_NEAR(report.scores[2].estimate.value, 3, 1e-12) << "six bits in two bytes";
  EXPECT_FALSE(report.scores[0].estimate.interval) << "two blocks carry none";
  EXPECT_THROW(score_perplexity({{}}, nullptr), Error);
}

TEST(ScorePerplexity, IsNeverInfinite) {
  EXPECT_THROW(score_perplexity({{-1000, -1000}}, nullptr), Error) << "exp(1000) is beyond a double";
  EXPECT_THROW(score_perplexity({{-1e308, -1e308}}, nullptr), Error) << "their sum is beyond a double";
  const TextSize size{1, 1000};
  const ScoreReport report = score_perplexity({std::vector<double>(100, -10)}, &size);
  ASSERT_EQ(report.scores.size(), 2u);
  EXPECT_EQ(report.scores[1].name, "bits_per_byte");
  EXPECT_THAT(report.notes, testing::ElementsAre("word_perplexity is omitted: it overflows",
                                                 "100 tokens for 1000 bytes of text: 10.00 bytes per token"));
}

TEST(ScorePerplexity, HasAnIntervalFromBlocks) {
  std::vector<double> log_probabilities;
  for (std::size_t i = 0; i < 100 * 128; ++i) log_probabilities.push_back(i / 128 % 2 == 0 ? -1.0 : -3.0);
  const ScoreReport report = score_perplexity({log_probabilities}, nullptr);
  ASSERT_TRUE(report.scores[0].estimate.interval);
  // 100 block means of −1 or −3: the mean has a standard error of 0.1, whatever the 12,800 tokens suggest.
  EXPECT_NEAR(report.scores[0].estimate.interval->low, std::exp(2 - 0.196), 0.25);
  EXPECT_NEAR(report.scores[0].estimate.interval->high, std::exp(2 + 0.196), 0.3);
}

}  // namespace
}  // namespace transformeter
