// What is missing of cases that ended in every way.
#include "schema/missing_replicates.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

void add(CaseRecord& one, Status status, const std::string& reason = "") {
  ReplicateRecord& replicate = one.replicates.emplace_back();
  replicate.index = static_cast<int>(one.replicates.size()) - 1;
  replicate.status = status;
  replicate.status_reason = reason;
}

void add_cut_off(CaseRecord& one) {
  add(one, Status::kOk, "1 of 8 slices measured");
}

TEST(MissingReplicates, AreThePlannedOnesThatHaveNotEnded) {
  CaseRecord one;
  EXPECT_EQ(missing_replicates(one, 3), 3U);
  add(one, Status::kOk);
  EXPECT_EQ(missing_replicates(one, 3), 2U);
  add(one, Status::kCrashed, "the worker died by SIGSEGV");
  EXPECT_EQ(missing_replicates(one, 3), 1U) << "only --retry-failed measures it again";
  add(one, Status::kOk);
  EXPECT_EQ(missing_replicates(one, 3), 0U);
  add(one, Status::kOk);
  EXPECT_EQ(missing_replicates(one, 3), 0U) << "more than planned";
}

TEST(MissingReplicates, AreOneForEachThatWasCutOff) {
  CaseRecord one;
  add_cut_off(one);
  add(one, Status::kOk);
  EXPECT_EQ(missing_replicates(one, 2), 1U);
  add(one, Status::kOk);
  EXPECT_EQ(missing_replicates(one, 2), 0U);
  add_cut_off(one);
  EXPECT_EQ(missing_replicates(one, 2), 0U) << "beyond the plan, which others have filled";
}

TEST(MissingReplicates, AreNoneOfACaseWithAnAnswer) {
  CaseRecord unsupported;
  unsupported.status = Status::kUnsupported;
  EXPECT_EQ(missing_replicates(unsupported, 3), 0U);
  CaseRecord large;
  add(large, Status::kOk);
  add(large, Status::kOutOfMemory, "needs 8 GiB");
  EXPECT_EQ(missing_replicates(large, 3), 0U);
  CaseRecord interrupted;
  add_cut_off(interrupted);
  interrupted.status = Status::kOk;
  EXPECT_EQ(missing_replicates(interrupted, 1), 1U) << "ok by its slices so far";
}

TEST(MissingReplicates, AreCountedWithThoseThatHaveEnded) {
  RunRecord run;
  run.replicates_planned = 2;
  run.cases.resize(3);
  add_cut_off(run.cases[0]);       // and two are missing
  add(run.cases[1], Status::kOk);  // and one is missing
  run.cases[2].status = Status::kUnsupported;
  const PendingReplicates pending = pending_replicates(run);
  EXPECT_EQ(pending.pending, 3U);
  EXPECT_EQ(pending.total, 4U);
}

TEST(MissingReplicates, AreForResumeButForTrialsAndLiveComparisons) {
  RunRecord run;
  run.cases.resize(2);
  run.cases[0].requested["arm"] = run.cases[1].requested["arm"] = "a";
  EXPECT_TRUE(is_resumable(run)) << "arms of a plan";
  run.role = RunRole::kTrial;
  EXPECT_FALSE(is_resumable(run));
  run.role = RunRole::kResult;
  run.cases[0].requested["arm"] = "before";
  run.cases[1].requested["arm"] = "after";
  EXPECT_FALSE(is_resumable(run)) << "a live comparison";
}

}  // namespace
}  // namespace transformeter
