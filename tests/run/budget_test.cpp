// Shares of a time budget on a fake clock, and the cut of long cycles.
#include "run/budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "run/cycle_cut.h"
#include "run/implied.h"

namespace transformeter {
namespace {

using std::chrono::seconds;

BudgetOptions budget_of(double total_s, const FakeClock& clock) {
  BudgetOptions options;
  options.total = Seconds(total_s);
  options.started = clock.now();
  return options;
}

TEST(Budget, WithoutOneGivesThirtySecondsThatMayStretch) {
  FakeClock clock;
  const Budget budget(clock, {});
  const auto limit = budget.next(5);
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->limit, Seconds(30));
  EXPECT_FALSE(limit->is_hard);
  EXPECT_FALSE(budget.left());
}

TEST(Budget, TheUsersOwnLimitIsHard) {
  FakeClock clock;
  BudgetOptions options;
  options.case_limit = Seconds(7);
  const auto limit = Budget(clock, options).next(1);
  EXPECT_EQ(limit->limit, Seconds(7));
  EXPECT_TRUE(limit->is_hard);
}

TEST(Budget, WithoutOneEverySliceHasItsFullLength) {
  FakeClock clock;
  EXPECT_EQ(Budget(clock, {}).next_slice(40, {5, StartsNow::kYes}, Seconds(0.5)), Seconds(0.5));
}

TEST(Budget, SharesWhatIsLeftOverTheSlices) {
  FakeClock clock;
  Budget budget(clock, budget_of(10, clock));
  EXPECT_EQ(budget.next_slice(40, {}, Seconds(0.5)), Seconds(0.25));
  EXPECT_EQ(budget.next_slice(10, {}, Seconds(0.5)), Seconds(0.5)) << "never longer than asked for";
  EXPECT_EQ(budget.next_slice(1000, {}, Seconds(0.5)), Seconds(0.2)) << "nor too short to say anything";
  budget.spent(Seconds(3), Seconds(1));  // starting costs 2 s
  budget.slice_spent(Seconds(0.3), Seconds(0.3));
  budget.slice_spent(Seconds(0.5), Seconds(0.3));  // what a slice takes beyond its length is 0.1 s in the mean
  EXPECT_NEAR(budget.next_slice(20, {2, StartsNow::kYes}, Seconds(0.5))->count(), (10 - 2 * 2) / 20.0 - 0.1, 1e-12);
  clock.advance(seconds(8));
  EXPECT_FALSE(budget.next_slice(1, {1, StartsNow::kYes}, Seconds(0.5))) << "2 s are left, and starting takes them";
  EXPECT_TRUE(budget.next_slice(1, {1, StartsNow::kNo}, Seconds(0.5)));
}

TEST(Budget, KnowsWhatMeasuringMayTake) {
  FakeClock clock;
  EXPECT_EQ(Budget(clock, {}).longest(4).most, Seconds(120));
  EXPECT_FALSE(Budget(clock, {}).longest(4).is_hard);
  BudgetOptions options = budget_of(10, clock);
  options.case_limit = Seconds(3);
  EXPECT_EQ(Budget(clock, options).longest(2).most, Seconds(6));
  EXPECT_EQ(Budget(clock, options).longest(8).most, Seconds(10));
  EXPECT_TRUE(Budget(clock, options).longest(8).is_hard);
}

TEST(Budget, SharesEquallyLessTheStartUpCost) {
  FakeClock clock;
  Budget budget(clock, budget_of(60, clock));
  EXPECT_EQ(budget.next(4)->limit, Seconds(15));  // nothing is known of starting yet
  clock.advance(seconds(12));
  budget.spent(Seconds(12), Seconds(10));         // so starting costs 2 s
  EXPECT_EQ(budget.next(3)->limit, Seconds(14));  // 48 / 3 - 2
  EXPECT_TRUE(budget.next(3)->is_hard);
}

TEST(Budget, KeepsTimeForReferencesButNeverMoreThanHalf) {
  FakeClock clock;
  const Budget budget(clock, budget_of(60, clock));
  EXPECT_EQ(budget.next(4, Seconds(20))->limit, Seconds(10));    // (60 − 20) / 4
  EXPECT_EQ(budget.next(4, Seconds(500))->limit, Seconds(7.5));  // (60 − 30) / 4
}

TEST(Budget, WhatCheapCasesLeaveGoesToTheOthersUpToTheDefaultLimit) {
  FakeClock clock;
  Budget budget(clock, budget_of(100, clock));
  clock.advance(seconds(2));
  budget.spent(Seconds(2), Seconds(1));
  EXPECT_EQ(budget.next(2)->limit, Seconds(30));  // 98 / 2 - 1, capped
}

TEST(Budget, ReachesNoCaseThatCannotStartAndMeasureForASecond) {
  FakeClock clock;
  Budget budget(clock, budget_of(10, clock));
  clock.advance(seconds(6));
  budget.spent(Seconds(6), Seconds(3));
  EXPECT_EQ(budget.next(10)->limit, Seconds(1));  // 4 s left: one more start of 3 s and one second
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(budget.next(10));
  clock.advance(seconds(60));
  EXPECT_FALSE(budget.next(1));
  EXPECT_EQ(budget.left(), Seconds(0));
}

TEST(Budget, LendsAShareHalfOfItselfButNoMoreThanIsLeft) {
  FakeClock clock;
  Budget budget(clock, budget_of(40, clock));
  EXPECT_EQ(budget.next(4)->limit, Seconds(10));
  EXPECT_EQ(budget.next(4)->longest, Seconds(15));
  clock.advance(seconds(28));
  budget.spent(Seconds(12), Seconds(10));
  EXPECT_EQ(budget.next(1)->longest, Seconds(10)) << "12 s are left, 2 s of them start the worker";
  EXPECT_EQ(Budget(clock, {}).next(4)->longest, Budget(clock, {}).next(4)->limit);
}

FullCycle cycle_of(std::int64_t examples, std::int64_t batches, double forecast_s) {
  return {examples, batches, Seconds(forecast_s)};
}

const TimeForCycles kSevenIn35S{Seconds(35), 7};

TEST(CycleCut, LeavesRoomForTheCyclesOfASlowerEngine) {
  EXPECT_FALSE(cut_cycle(cycle_of(100, 100, 5), kSevenIn35S, 8)) << "six and one to warm up";
  EXPECT_EQ(cut_cycle(cycle_of(100, 100, 10), kSevenIn35S, 8), 25);
  EXPECT_EQ(cut_cycle(cycle_of(100, 13, 10), kSevenIn35S, 8), 25) << "examples, whatever the batch size";
  EXPECT_EQ(cut_cycle(cycle_of(100, 100, 10), {Seconds(35), 14}, 8), 12) << "of 14 cycles each has half the time";
  EXPECT_EQ(cut_cycle(cycle_of(100, 100, 1e6), kSevenIn35S, 8), 8);
  EXPECT_FALSE(cut_cycle(cycle_of(5, 5, 1e6), kSevenIn35S, 8)) << "never longer than it was";
  EXPECT_FALSE(cut_cycle(cycle_of(100, 1, 1e6), kSevenIn35S, 8));
  EXPECT_FALSE(cut_cycle(cycle_of(100, 100, std::numeric_limits<double>::quiet_NaN()), kSevenIn35S, 8));
}

TEST(CycleCut, IsTheSameForAllCasesOfTheSameTexts) {
  CycleCuts cuts;
  EXPECT_EQ(cuts.decide("w", cycle_of(100, 100, 10), kSevenIn35S, 8), 25);
  EXPECT_EQ(cuts.decide("w", cycle_of(100, 13, 2000), kSevenIn35S, 8), 25);
  EXPECT_FALSE(cuts.decide("v", cycle_of(100, 100, 1), kSevenIn35S, 8));
  EXPECT_FALSE(cuts.decide("v", cycle_of(100, 100, 2000), kSevenIn35S, 8));
}

TEST(CycleCut, ToBatchesGivesEveryBatchSizeTheSameTexts) {
  const BatchSizes sizes{1, 32};
  for (const std::int64_t batches : {500, 16}) {  // of a case of batch 1, and of batch 32
    EXPECT_EQ(cut_to_batches(cycle_of(500, batches, 1), 3, sizes), 64) << "two batches of 32";
    EXPECT_EQ(cut_to_batches(cycle_of(500, batches, 1), 100, sizes), 100) << "a hundred batches of 1";
    EXPECT_FALSE(cut_to_batches(cycle_of(500, batches, 1), 500, sizes)) << "all fit";
  }
  EXPECT_EQ(cut_to_batches(cycle_of(500, 500, 1), 3, {1, 1}), 16) << "fewer do not stand for their lengths";
  EXPECT_FALSE(cut_to_batches(cycle_of(500, 1, 1), 3, {500, 500}));
}

TEST(CycleCut, RemembersWhatAStoredCaseRanWith) {
  CycleCuts cuts;
  cuts.remember("w", {{"cycle_examples", 7}, {"cycle_examples_full", 100}});
  cuts.remember("v", {{"cycle_examples", 9}, {"cycle_examples_full", 9}});
  cuts.remember("u", Json::object());
  EXPECT_EQ(cuts.decide("w", cycle_of(100, 100, 1), kSevenIn35S, 8), 7);
  EXPECT_FALSE(cuts.decide("v", cycle_of(9, 9, 2000), kSevenIn35S, 1));
  EXPECT_EQ(cuts.decide("u", cycle_of(100, 100, 10), kSevenIn35S, 8), 25);
}

TEST(Implied, OnlyLargerPointsOfTheSameKindFollow) {
  const Json cause = {{"model", "m"}, {"precision", "fp32"}, {"batch_size", 8}, {"sequence_length", 128}};
  const auto changed = [&](const char* name, const Json& value) {
    Json point = cause;
    point[name] = value;
    return point;
  };
  EXPECT_TRUE(needs_more_memory(changed("batch_size", 32), cause));
  EXPECT_TRUE(needs_more_memory(changed("sequence_length", 512), cause));
  EXPECT_FALSE(needs_more_memory(changed("batch_size", 4), cause));
  EXPECT_FALSE(needs_more_memory(changed("sequence_length", 64), cause));
  EXPECT_FALSE(needs_more_memory(changed("sequence_length", "natural"), cause));
  EXPECT_FALSE(needs_more_memory(changed("precision", "bf16"), cause));
  Json mixed = changed("batch_size", 32);
  mixed["sequence_length"] = 64;
  EXPECT_FALSE(needs_more_memory(mixed, cause));
}

}  // namespace
}  // namespace transformeter
