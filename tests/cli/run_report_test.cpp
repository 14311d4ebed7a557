// The line that says how a run ended.
#include "cli/run_report.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(EndingLine, OfARepetitionThatRanOutOfTimeNamesWhatGoesOn) {
  RunOutcome outcome;
  outcome.run_id = "r";
  EXPECT_EQ(ending_line(outcome, "a.db"), "");
  outcome.retries_faults = true;
  EXPECT_EQ(ending_line(outcome, "a.db"), "");
  outcome.is_out_of_time = true;
  const std::string line = ending_line(outcome, "a.db");
  EXPECT_EQ(line.substr(0, line.find("finish")), "time budget used up; ");
  EXPECT_NE(line.find(" --retry-failed\n"), std::string::npos) << line;
}

TEST(EndingLine, OfARunWithoutAnOkCaseNamesTheExitCode) {
  RunOutcome outcome;
  outcome.statuses = {Status::kUnsupported, Status::kUnsupportedShape};
  EXPECT_EQ(ending_line(outcome, "a.db"), "no case is ok: exit code 1\n");
  outcome.interrupted = true;
  EXPECT_EQ(ending_line(outcome, "a.db"), "interrupted\n") << "its exit code is 130";
  outcome.interrupted = false;
  outcome.replicates.pending = outcome.replicates.total = 2;
  const std::string pending = ending_line(outcome, "a.db");
  EXPECT_EQ(pending.substr(0, pending.find("finish")), "no case is ok: exit code 1\npending: 2 of 2 replicates; ");
  outcome.statuses.clear();
  EXPECT_EQ(ending_line(outcome, "a.db"), pending) << "no case was reached";
  outcome.replicates.pending = 0;
  outcome.statuses.push_back(Status::kOk);
  EXPECT_EQ(ending_line(outcome, "a.db"), "");
}

}  // namespace
}  // namespace transformeter
