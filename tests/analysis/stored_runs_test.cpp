// Reading by summaries gives what the samples give, and what is missing is filled in.
#include "analysis/stored_runs.h"

#include <gmock/gmock.h>

#include "analysis/results.h"
#include "analysis/step_columns.h"
#include "metrics/case_summary.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

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

TEST(StoredTrainings, KeepTheColumnsThatAreReadOfTheirSteps) {
  RunRecord run = training_run();
  CaseRecord& one = add_training_case(run, training_settings(8), step_figures(0.1, 8));
  one.summary.reset();
  one.replicates[0].series = {value_series("latency", std::vector<double>(20, 0.1)),
                              value_series("loss", std::vector<double>(20, 0.5)),
                              value_series("data_wait", std::vector<double>(20, 0.01))};
  TemporaryFolder folder;
  const std::unique_ptr<Store> store = open_store(folder.path() / "a.db", StoreMode::kWrite);
  store->begin_run(run);
  for (const bool has_summary : {false, true}) {
    const RunRecord loaded = load_analyzed_run(*store, "");
    const CaseRecord& found = loaded.cases.at(0);
    EXPECT_TRUE(found.summary) << has_summary;
    EXPECT_EQ(found.replicates.at(0).series.size(), 1U) << has_summary;
    EXPECT_EQ(step_counts(found).value_or(StepCounts{}).fewest, 20U) << has_summary;
    keep_missing_summaries(*store);
  }
}

TEST_F(StoredRuns, AReaderIsGivenTheSamplesOfTheCasesThatItWants) {
  keep_missing_summaries(*store_);
  std::vector<std::string> read;
  const SeriesReader reader{.wants = [](const CaseRecord& one) { return one.id != "c01"; },
                            .read =
                                [&](const RunRecord& run, const CaseRecord& one) {
                                  EXPECT_EQ(run.id, mixed_run().id);
                                  read.push_back(one.id);
                                  if (one.id != "c02") return;
                                  EXPECT_FALSE(one.replicates.at(0).series.empty());
                                }};
  const RunRecord run = load_analyzed_run(*store_, "", reader);
  EXPECT_THAT(read, ElementsAre("c02", "c03", "c04", "c05"));
  for (const CaseRecord& one : run.cases) {
    for (const ReplicateRecord& replicate : one.replicates) EXPECT_TRUE(replicate.series.empty()) << one.id;
  }
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
