// What is due of cases that have been measured differently often.
#include "run/due_replicates.h"

#include <gmock/gmock.h>

namespace transformeter {
namespace {

PlannedCase case_with(int replicates, Status status = Status::kOk) {
  PlannedCase planned;
  for (int i = 0; i < replicates; ++i) {
    ReplicateRecord& one = planned.record.replicates.emplace_back();
    one.index = i;
    one.status = status;
  }
  return planned;
}

TEST(DueReplicates, OneMoreIsBeyondWhatACaseHas) {
  std::vector<PlannedCase> cases;
  cases.push_back(case_with(5));
  cases.push_back(case_with(1));
  DueReplicates due(cases, 1, false);
  EXPECT_EQ(due.count(), 0U);
  due.add({0, 1});
  EXPECT_EQ(due.count(), 2U);
  EXPECT_EQ(due.next(0), 5);
  EXPECT_EQ(due.next(1), 1);
  due.forget_added();
  EXPECT_EQ(due.count(), 0U);
  EXPECT_FALSE(due.next(0));
}

TEST(DueReplicates, WhatWasCutOffIsMeasuredAgainAndOnce) {
  std::vector<PlannedCase> cases;
  cases.push_back(case_with(1));
  cases[0].record.replicates[0].status_reason = "3 of 8 slices measured";
  EXPECT_EQ(DueReplicates(cases, 1, false).next(0), 1);
  ReplicateRecord& again = cases[0].record.replicates.emplace_back();
  again.index = 1;
  EXPECT_EQ(DueReplicates(cases, 1, false).count(), 0U);
}

// A repetition of what crashed was cut off: the same command goes on, and plain `resume` has nothing to do.
TEST(DueReplicates, ARepetitionThatWasCutOffIsRepeated) {
  std::vector<PlannedCase> cases;
  cases.push_back(case_with(3));
  cases[0].record.replicates[0].status = Status::kCrashed;
  cases[0].record.replicates[2].status_reason = "3 of 8 slices measured";
  EXPECT_EQ(DueReplicates(cases, 2, true).next(0), 3);
  EXPECT_EQ(DueReplicates(cases, 2, true).count(), 1U);
  EXPECT_EQ(DueReplicates(cases, 2, false).count(), 0U);
}

TEST(DueReplicates, OneThatWasCutOffBeyondThePlanIsNotDue) {
  std::vector<PlannedCase> cases;
  cases.push_back(case_with(4));
  cases[0].record.replicates[3].status_reason = "3 of 8 slices measured";
  EXPECT_EQ(DueReplicates(cases, 1, false).count(), 0U);
  cases[0].record.replicates.resize(3);
  cases[0].record.replicates[2].status_reason = "3 of 8 slices measured";
  EXPECT_EQ(DueReplicates(cases, 3, false).next(0), 3) << "within the plan it is";
}

TEST(DueReplicates, TheNextIsTheFirstThatWasPlanned) {
  std::vector<PlannedCase> cases;
  cases.push_back(case_with(1));
  cases.push_back(case_with(1, Status::kOutOfMemory));
  const DueReplicates due(cases, 3, false);
  EXPECT_EQ(due.next(0), 1);
  EXPECT_FALSE(due.next(1)) << "it would be the same each time";
}

}  // namespace
}  // namespace transformeter
