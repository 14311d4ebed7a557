// Reading by summaries gives what the samples give, and what is missing is filled in.
#include "analysis/stored_runs.h"

#include <gtest/gtest.h>

#include "analysis/results.h"
#include "metrics/case_summary.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

class StoredRuns : public testing::Test {
 protected:
  void SetUp() override { store_->begin_run(mixed_run()); }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = open_store(folder_.path() / "a.db", StoreMode::kWrite);
};

TEST_F(StoredRuns, AreTheSameWithAndWithoutStoredSummaries) {
  const Json expected = results_json({mixed_run()}, {false});
  EXPECT_EQ(results_json({load_analyzed_run(*store_, "")}, {false}), expected);
  EXPECT_EQ(keep_missing_summaries(*store_), 3u) << "the cases that have replicates";
  EXPECT_EQ(keep_missing_summaries(*store_), 0u);
  const RunRecord run = load_analyzed_run(*store_, "");
  EXPECT_EQ(results_json({run}, {false}), expected);
  EXPECT_TRUE(run.cases[0].replicates[0].series.empty());
}

TEST_F(StoredRuns, SummariesOfAnotherVersionAreComputedAnewAndReplaced) {
  RunRecord run = mixed_run();
  for (CaseRecord& one : run.cases) one.summary = CaseSummary{kAnalysisVersion + 1, "of a newer program"};
  store_->keep_summaries(run.id, run.cases);
  EXPECT_EQ(results_json({load_analyzed_run(*store_, "")}, {false}), results_json({mixed_run()}, {false}));
  EXPECT_EQ(keep_missing_summaries(*store_), 3u);
}

}  // namespace
}  // namespace transformeter
