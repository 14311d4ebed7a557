// Whom the next slices are for.
#include "run/further_slices.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

using Places = std::vector<std::size_t>;

PlannedCase planned(Json requested) {
  PlannedCase one;
  one.record.requested = std::move(requested);
  return one;
}

TEST(NearestBaselines, ShareTheWorkloadAndMostSettings) {
  const std::vector<PlannedCase> cases{planned({{"engine", "pytorch"}, {"precision", "fp32"}, {"batch_size", 1}}),
                                       planned({{"engine", "pytorch"}, {"precision", "bf16"}, {"batch_size", 1}}),
                                       planned({{"engine", "fast"}, {"precision", "bf16"}, {"batch_size", 1}}),
                                       planned({{"engine", "fast"}, {"precision", "bf16"}, {"batch_size", 8}})};
  const auto baselines = nearest_baselines(cases, {{"engine", "pytorch"}});
  EXPECT_FALSE(baselines[0] || baselines[1]) << "baselines themselves";
  EXPECT_EQ(baselines[2], 1u);
  EXPECT_FALSE(baselines[3]) << "no baseline has its batch size";
  EXPECT_FALSE(nearest_baselines(cases, nullptr)[2]);
}

TEST(BesideBaselines, CasesFollowTheirBaseline) {
  const std::vector<std::optional<std::size_t>> baselines{std::nullopt, std::nullopt, 0, 1, 0};
  EXPECT_EQ(beside_baselines({3, 0, 1, 2, 4}, baselines), (Places{1, 3, 0, 2, 4}));
}

TEST(PlannedSlices, AreAsManyAsTheCaseItselfCountsAtMost) {
  PlannedCase fixed = planned({{"batch_size", 1}});
  PlannedCase natural = planned({{"batch_size", 1}});
  EXPECT_EQ(planned_slices(natural.asked, 8), 8);
  natural.asked.cycles = 1;
  EXPECT_EQ(planned_slices(natural.asked, 8), 1);
  EXPECT_EQ(slices_for_quads({fixed, natural}, {}, 8), (std::vector<std::int64_t>{8, 1}))
      << "the cycles of one case say nothing of the other";
  EXPECT_EQ(most_slices({fixed, natural}, 8), 8);
  EXPECT_EQ(most_slices({natural}, 8), 1) << "a single window";
  natural.asked.cycles = 20;
  EXPECT_EQ(planned_slices(natural.asked, 8), 8);
  fixed.asked.samples = 3;
  EXPECT_EQ(planned_slices(fixed.asked, 8), 3);
}

TEST(SlicesForQuads, AreMoreThanPlannedOnlyWhereTheTimeIsFree) {
  std::vector<PlannedCase> cases(3);
  for (PlannedCase& one : cases) one.asked.device = "cpu";
  const std::vector<std::optional<std::size_t>> baselines{std::nullopt, 0, 0};
  EXPECT_EQ(slices_for_quads(cases, baselines, 8), (std::vector<std::int64_t>{16, 16, 16}));
  cases[1].asked.cycles = 2;
  EXPECT_EQ(slices_for_quads(cases, baselines, 8), (std::vector<std::int64_t>{16, 2, 16}));
}

// Starting the worker comes before the first slice, and is no part of what the slices span.
TEST(SpreadSlices, AreEightOverHalfAMinuteFromStartToStart) {
  const auto from_to = [](double first_s, double last_s, int count) {
    ReplicateRecord replicate;
    Series starts = value_series("slice_start", {});
    for (int i = 0; i < count; ++i) starts.value.push_back(first_s + i * (last_s - first_s) / (count - 1));
    replicate.series.push_back(std::move(starts));
    return replicate;
  };
  EXPECT_TRUE(has_spread_slices(from_to(5, 41, 8)));
  EXPECT_FALSE(has_spread_slices(from_to(5, 40, 70))) << "41 s after the run began, but 35 s of slices";
  EXPECT_FALSE(has_spread_slices(from_to(5, 60, 7)));
  EXPECT_FALSE(has_spread_slices({}));
}

// In 2n rounds, at `time_s` each, with a scatter of a hundredth.
SlicesSoFar measured(double time_s, std::int64_t quads) {
  SlicesSoFar one;
  for (std::int64_t round = 0; round < 2 * quads; ++round) {
    const double scatter = static_cast<double>(round / 2 * 7 % 5 - 2) / 200;
    one.slices.push_back({0, round, time_s * (1 + scatter)});
  }
  return one;
}

SlicesSoFar compared(double time_s, std::int64_t quads, std::size_t baseline = 0) {
  SlicesSoFar one = measured(time_s, quads);
  one.baseline = baseline;
  return one;
}

TEST(TimedSlices, AreThoseOfTheReplicateWhoseTimesAreKnown) {
  ReplicateRecord replicate;
  replicate.index = 1;
  replicate.series = {value_series("slice_round", {0, 1, 2, 4}), value_series("slice_start", {3, 10, 21, 40})};
  const std::vector<SliceTime> times{{0, 1, 0.7}, {1, 1, 0.5}, {1, 3, 0.6}, {1, 4, 0.4}};
  const std::vector<TimedSlice> timed = timed_slices(replicate, times);
  ASSERT_EQ(timed.size(), 2U) << "one is of another process, one of a round without a start";
  EXPECT_EQ(timed[0].start_s, 10);
  EXPECT_EQ(timed[0].seconds, 0.5);
  EXPECT_EQ(timed[1].start_s, 40);
  EXPECT_EQ(timed[1].seconds, 0.4);
  replicate.series.back().value.pop_back();
  EXPECT_TRUE(timed_slices(replicate, times).empty()) << "columns of different lengths";
  EXPECT_TRUE(timed_slices({}, times).empty());
}

TEST(NextQuads, AreOfTheUndecided) {
  SlicesSoFar steady = compared(1, 8);
  for (SliceTime& slice : steady.slices) slice.seconds = 1 + 0.03 * static_cast<double>(slice.round / 2 % 3 - 1);
  EXPECT_EQ(next_quads({measured(1, 8), compared(2, 8), steady}), (Places{0, 2}));
  EXPECT_EQ(next_quads({measured(1, 7), compared(2, 7)}), (Places{0, 1})) << "too few to decide";
  EXPECT_TRUE(next_quads({measured(1, 8), compared(2, 8)}).empty());
  EXPECT_TRUE(next_quads({measured(1, 3), measured(1, 3)}).empty()) << "nothing is compared";
}

TEST(NextQuads, TheGroupWithFewestSlicesComesFirst) {
  EXPECT_EQ(next_quads({measured(1, 5), compared(1, 5), measured(1, 4), compared(1, 4, 2)}), (Places{2, 3}));
}

TEST(NextQuads, CompleteCasesGetNone) {
  std::vector<SlicesSoFar> parked{measured(1, 4), compared(1, 4)};
  parked[0].is_complete = true;
  EXPECT_TRUE(next_quads(parked).empty());
}

TEST(NextQuads, WhatDecidesBetweenLooksWaitsForTheNext) {
  // One quad is the other way round: twelve leave it open, sixteen would not, but the next look is at seventeen.
  const auto with_outlier = [](std::int64_t quads) {
    SlicesSoFar candidate = compared(2, quads);
    candidate.slices[0].seconds = candidate.slices[1].seconds = 0.4;
    return candidate;
  };
  EXPECT_EQ(next_quads({measured(1, 16), with_outlier(16)}), (Places{0, 1}));
  EXPECT_TRUE(next_quads({measured(1, 17), with_outlier(17)}).empty());
}

TEST(WidestCase, OfThoseAboveTheTarget) {
  std::vector<SlicesSoFar> parked(3);
  parked[0].half_width = 0.03;
  parked[1].half_width = 0.05;
  parked[2].half_width = 0.019;
  EXPECT_EQ(widest_case(parked), 1u);
  parked[1].is_complete = true;
  EXPECT_EQ(widest_case(parked), 0u);
  parked[0].half_width = 0.02;
  EXPECT_FALSE(widest_case(parked));
}

TEST(WidestCase, WithoutAnIntervalTheOneWithFewestSlices) {
  std::vector<SlicesSoFar> parked{measured(1, 3), measured(1, 2), measured(1, 3)};
  parked[2].half_width = 0.5;
  EXPECT_EQ(widest_case(parked), 1u);
}

}  // namespace
}  // namespace transformeter
