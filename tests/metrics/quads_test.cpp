// Pairs of slices, and what they decide.
#include "metrics/quads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace transformeter {
namespace {

// One slice in each of `rounds` rounds of a process, at `time_s` times a drift of 3 % a round.
std::vector<SliceTime> drifting(double time_s, std::int64_t rounds, int process = 0) {
  std::vector<SliceTime> slices;
  for (std::int64_t round = 0; round < rounds; ++round) {
    slices.push_back({process, round, time_s * std::pow(1.03, static_cast<double>(round))});
  }
  return slices;
}

TEST(Quads, ADriftCancels) {
  const std::vector<Quad> quads = quads_of(drifting(2, 6), drifting(1, 6));
  ASSERT_EQ(quads.size(), 3u);
  for (const Quad& quad : quads) EXPECT_NEAR(quad.log_ratio, std::log(2), 1e-12);
}

TEST(Quads, NeedBothRoundsOfBothCases) {
  std::vector<SliceTime> missing = drifting(1, 6);
  missing.erase(missing.begin() + 2);
  EXPECT_EQ(quads_of(drifting(2, 6), missing).size(), 2u);
  EXPECT_TRUE(quads_of(drifting(2, 6, 0), drifting(1, 6, 1)).empty()) << "of different processes";
  std::vector<SliceTime> later = drifting(1, 6);
  for (SliceTime& slice : later) slice.round += 6;
  EXPECT_TRUE(quads_of(drifting(2, 6), later).empty()) << "of other rounds";
}

TEST(Quads, TheMedianRatioIsOfAnyNumber) {
  EXPECT_FALSE(median_ratio({}));
  EXPECT_DOUBLE_EQ(*median_ratio({{0, std::log(2.0)}}), 2);
  EXPECT_DOUBLE_EQ(*median_ratio({{0, std::log(2.0)}, {0, std::log(0.5)}}), 1)
      << "the luckier of two does not count more";
  EXPECT_DOUBLE_EQ(*median_ratio({{0, std::log(9.0)}, {0, std::log(0.5)}, {0, std::log(1.5)}}), 1.5);
}

TEST(Quads, EightDecide) {
  EXPECT_FALSE(quotient_over_quads(quads_of(drifting(2, 14), drifting(1, 14))));
  const auto quotient = quotient_over_quads(quads_of(drifting(2, 16), drifting(1, 16)));
  ASSERT_TRUE(quotient);
  EXPECT_NEAR(quotient->value, 2, 1e-9);
  EXPECT_EQ(answer_of(*quotient), SpeedAnswer::kFaster);
}

TEST(Quads, OfThreeProcessesTheProcessesAreTheUnit) {
  std::vector<Quad> quads;
  for (int process = 0; process < 3; ++process) {
    for (int i = 0; i < 4; ++i) quads.push_back({process, 0.01 * (process + 1)});
  }
  const auto quotient = quotient_over_processes(quads);
  ASSERT_TRUE(quotient);
  EXPECT_NEAR(std::log(quotient->value), 0.02, 1e-12);
  EXPECT_NEAR(std::log(quotient->high), 0.02 + 4.302652729749462 * 0.01 / std::sqrt(3), 1e-9) << "t(2) over 3 means";
  quads.resize(8);
  EXPECT_FALSE(quotient_over_processes(quads)) << "of two processes";
}

TEST(Quads, OfEightProcessesTheIntervalMayBeLookedAtAgain) {
  std::vector<Quad> quads;
  for (int process = 0; process < 11; ++process) {
    for (int i = 0; i < 2; ++i) quads.push_back({process, 0.01 * (process % 8)});
  }
  const auto quotient = quotient_over_live_processes(quads);
  ASSERT_TRUE(quotient);
  EXPECT_NEAR(std::log(quotient->value), 0.035, 1e-12) << "of the first eight: the next look is at twelve";
  EXPECT_EQ(process_count(quads), 11u);
  EXPECT_NEAR(std::log(quotient_over_processes(quads)->value), (0.28 + 0.03) / 11, 1e-12)
      << "a planned number counts all";
  quads.resize(14);
  EXPECT_FALSE(quotient_over_live_processes(quads)) << "of seven processes";
}

TEST(Quads, AnswersNeedMoreThanTheNoiseThreshold) {
  EXPECT_EQ(answer_of({1.005, 1.001, 1.009}), SpeedAnswer::kSame);
  EXPECT_EQ(answer_of({1.009, 1.001, 1.02}), SpeedAnswer::kUndecided);
  EXPECT_EQ(answer_of({1.02, 1.001, 1.04}), SpeedAnswer::kFaster);
  EXPECT_EQ(answer_of({0.98, 0.97, 0.99}), SpeedAnswer::kSlower);
  EXPECT_EQ(answer_of({1.2, 0.9, 1.6}), SpeedAnswer::kUndecided);
}

}  // namespace
}  // namespace transformeter
