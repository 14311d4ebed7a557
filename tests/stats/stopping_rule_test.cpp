// When measuring stops, with made-up times.
#include "stats/stopping_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "base/error.h"
#include "stats/series.h"

namespace transformeter {
namespace {

struct Stop {
  StopDecision decision = StopDecision::kContinue;
  std::size_t samples = 0;
  std::size_t cycles = 0;
};

// Feeds durations until the rule stops, with no time between samples.
Stop run(StoppingRule rule, const std::function<double(std::size_t)>& duration, std::size_t batches = 1) {
  double elapsed = 0;
  for (std::size_t i = 0; i < 1000000; ++i) {
    elapsed += duration(i);
    const StopDecision decision = rule.add(duration(i), elapsed, i % batches);
    if (decision != StopDecision::kContinue) return {decision, rule.samples(), rule.cycles()};
  }
  return {StopDecision::kContinue, rule.samples(), rule.cycles()};
}

// Alternates around 1 with a spread that 10 samples cannot average below the target.
double wide(std::size_t i) {
  return i % 2 == 0 ? 0.5 : 1.5;
}

TEST(StoppingRule, StopsSteadySamplesAtTheSecondLookThatCanSeeDependence) {
  const Stop stop = run(StoppingRule({}), [](std::size_t) { return 0.2; });
  EXPECT_EQ(stop.decision, StopDecision::kTargetMet);
  EXPECT_EQ(stop.samples, 28u);
  StoppingOptions early;
  early.target_samples = 1;
  EXPECT_EQ(run(StoppingRule(early), [](std::size_t) { return 0.2; }).samples, 14u);
}

TEST(StoppingRule, WantsTheTargetMetTwiceInARow) {
  // Met at 20; a step lies in the samples at 28, which is drift; at 40 it can be cut off, at 57 the target is met
  // again.
  const Stop stop = run(StoppingRule({}), [](std::size_t i) { return i < 20 ? 0.2 : 0.3; });
  EXPECT_EQ(stop.decision, StopDecision::kTargetMet);
  EXPECT_EQ(stop.samples, 57u);
}

TEST(StoppingRule, WaitsForTheShortestTimeAtTheNextLook) {
  // 0.03 s each: one second is over after 34 samples; looks are at 28 and 40.
  const Stop stop = run(StoppingRule({}), [](std::size_t) { return 0.03; });
  EXPECT_EQ(stop.decision, StopDecision::kTargetMet);
  EXPECT_EQ(stop.samples, 40u);
}

TEST(StoppingRule, LooksAtRootTwoSteps) {
  // One sample a second, all alike: the rule stops at the first look not before min_time_s.
  std::set<std::size_t> stops;
  for (int shortest = 0; shortest <= 113; ++shortest) {
    StoppingOptions options;
    options.min_time_s = shortest;
    options.limit_s = 1e9;
    stops.insert(run(StoppingRule(options), [](std::size_t) { return 1.0; }).samples);
  }
  EXPECT_THAT(stops, testing::ElementsAre(28, 40, 57, 80, 113));
}

TEST(StoppingRule, AtTheLimitStopsWithoutTheTarget) {
  StoppingOptions options;
  options.target = 0.0001;
  const Stop stop = run(StoppingRule(options), wide);
  EXPECT_EQ(stop.decision, StopDecision::kLimitReached);
  EXPECT_EQ(stop.samples, 30u) << "mean 1 s, limit 30 s";
}

TEST(StoppingRule, TheDefaultLimitWaitsForTenSamples) {
  const Stop stop = run(StoppingRule({}), [](std::size_t i) { return 10 * wide(i); });
  EXPECT_EQ(stop.decision, StopDecision::kLimitReached);
  EXPECT_EQ(stop.samples, 10u);
}

TEST(StoppingRule, APlansLimitIsHard) {
  StoppingOptions options;
  options.limit_s = 30;
  options.hard_limit = true;
  const Stop stop = run(StoppingRule(options), [](std::size_t) { return 10.0; });
  EXPECT_EQ(stop.decision, StopDecision::kLimitReached);
  EXPECT_EQ(stop.samples, 3u);
}

TEST(StoppingRule, AnExactCountLooksAtNothingElse) {
  StoppingOptions options;
  options.exact_count = 7;
  EXPECT_EQ(run(StoppingRule(options), [](std::size_t) { return 20.0; }).samples, 7u) << "past the soft limit";
  options.exact_count = 25;
  const Stop stop = run(StoppingRule(options), [](std::size_t) { return 1.0; });
  EXPECT_EQ(stop.decision, StopDecision::kCountReached);
  EXPECT_EQ(stop.samples, 25u);
  options.hard_limit = true;
  options.limit_s = 5;
  EXPECT_EQ(run(StoppingRule(options), [](std::size_t) { return 1.0; }).decision, StopDecision::kLimitReached);
}

TEST(StoppingRule, JudgesCyclesAndNotTheirUnequalBatches) {
  // Batches of 0.1, 0.2, ..., 0.5 s scatter widely; their cycle of 1.5 s does not.
  const Stop stop = run(
      StoppingRule({}, 5), [](std::size_t i) { return 0.1 * static_cast<double>(1 + i % 5); }, 5);
  EXPECT_EQ(stop.decision, StopDecision::kTargetMet);
  EXPECT_EQ(stop.cycles, 8u) << "the second look, after that at six cycles";
  EXPECT_EQ(stop.samples, 40u);
}

TEST(StoppingRule, WantsTheTargetMetTwiceInARowOfCyclesToo) {
  // Met at six cycles; the seventh and the eighth take twice as long, so that the next look does not meet it.
  const Stop stop = run(
      StoppingRule({}, 2), [](std::size_t i) { return i < 12 ? 0.1 : 0.2; }, 2);
  EXPECT_GT(stop.cycles, 8u);
}

TEST(StoppingRule, TheSoftLimitWaitsForSixCyclesAndTheirEnd) {
  const auto scattering = [](std::size_t i) { return i / 4 % 2 == 0 ? 4.0 : 6.0; };
  const Stop stop = run(StoppingRule({}, 4), scattering, 4);
  EXPECT_EQ(stop.decision, StopDecision::kLimitReached);
  EXPECT_EQ(stop.cycles, 6u) << "16 + 24 s are past the limit, but two cycles are too few";
  StoppingOptions hard;
  hard.hard_limit = true;
  EXPECT_EQ(run(StoppingRule(hard, 4), scattering, 4).samples, 7u) << "16 + 3 · 6 s";
}

TEST(StoppingRule, ACycleWithAMissingBatchDoesNotCount) {
  StoppingRule rule(StoppingOptions{}, 3);
  rule.add(1, 1, 1);
  rule.add(1, 2, 2);
  EXPECT_EQ(rule.cycles(), 0u);
  for (std::size_t i = 0; i < 3; ++i) rule.add(1, 3, i);
  EXPECT_EQ(rule.cycles(), 1u);
  EXPECT_EQ(rule.samples(), 5u);
}

TEST(StoppingRule, EndsForZerosNanAndNoise) {
  EXPECT_EQ(run(StoppingRule({}), [](std::size_t) { return 0.0; }).decision, StopDecision::kContinue)
      << "no time passes, so neither a second nor the limit can be reached";
  StoppingRule zeros{StoppingOptions{}};
  StoppingRule nans{StoppingOptions{}};
  StoppingRule no_clock{StoppingOptions{}};
  for (int i = 1; i < 10; ++i) {
    zeros.add(0, i);
    nans.add(std::nan(""), i);
    no_clock.add(1, std::nan(""));
  }
  for (int i = 10; i < 28; ++i) zeros.add(0, i);
  EXPECT_EQ(zeros.add(0, 28), StopDecision::kTargetMet) << "a width of 0 around 0";
  EXPECT_EQ(nans.add(std::nan(""), 31), StopDecision::kLimitReached);
  EXPECT_EQ(no_clock.add(2, std::nan("")), StopDecision::kLimitReached);
}

TEST(StoppingRule, ADriftingSeriesRunsIntoTheLimit) {
  const Stop stop = run(StoppingRule({}), [](std::size_t i) { return 0.05 * (1 + 0.01 * static_cast<double>(i)); });
  EXPECT_EQ(stop.decision, StopDecision::kLimitReached);
}

TEST(StoppingRule, RefusesOptionsOutOfRangeWithTheValue) {
  StoppingOptions options;
  options.target = std::nan("");
  EXPECT_THROW(StoppingRule{options}, Error);
  options = {};
  options.limit_s = -1;
  try {
    StoppingRule rule(options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("limit_s"), testing::HasSubstr("-1"),
                                             testing::HasSubstr("0 or more")));
  }
  options = {};
  options.min_cycles = 1;
  EXPECT_THROW(StoppingRule{options}, Error);
  options = {};
  options.exact_count = 0;
  EXPECT_THROW(StoppingRule{options}, Error);
  EXPECT_THROW(StoppingRule(StoppingOptions{}, 0), Error);
}

TEST(StoppingRule, ASliceEndsWithItsTimeAndJudgesNothing) {
  StoppingOptions options;
  options.slice_s = 0.5;
  StoppingRule rule(options);
  EXPECT_EQ(rule.add(0.6, 0.6), StopDecision::kContinue) << "one sample is too few";
  EXPECT_EQ(rule.add(0.6, 1.2), StopDecision::kSliceDone);
  StoppingRule fast(options);
  StopDecision decision = StopDecision::kContinue;
  for (int i = 1; decision == StopDecision::kContinue; ++i) decision = fast.add(0.001, 0.001 * i);
  EXPECT_EQ(decision, StopDecision::kSliceDone);
  EXPECT_EQ(fast.samples(), 500u) << "constant samples, which would have met the target at 1 s";
}

TEST(StoppingRule, ASliceOfACycleEndsWithTheCycle) {
  StoppingOptions options;
  options.slice_s = 0.5;
  StoppingRule rule(options, 4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rule.add(0.3, 0.3 * (i + 1), static_cast<std::size_t>(i)), StopDecision::kContinue);
  }
  EXPECT_EQ(rule.add(0.3, 1.2, 3), StopDecision::kSliceDone);
}

TEST(StoppingRule, NamesItsDecisions) {
  EXPECT_EQ(name_of(StopDecision::kContinue), "continue");
  EXPECT_EQ(name_of(StopDecision::kTargetMet), "target_met");
  EXPECT_EQ(name_of(StopDecision::kLimitReached), "limit_reached");
  EXPECT_EQ(name_of(StopDecision::kCountReached), "count_reached");
  EXPECT_EQ(name_of(StopDecision::kSliceDone), "slice_done");
}

}  // namespace
}  // namespace transformeter
