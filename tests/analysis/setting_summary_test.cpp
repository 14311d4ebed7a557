// Figures over the cases of each value of a setting.
#include "analysis/setting_summary.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunRecord run_of_three() {
  RunRecord run = training_run();
  for (const auto& [batch, precision, step] :
       {std::tuple(16, "fp32", 0.4), {8, "fp32", 0.1}, {16, "bf16", 0.2}, {8, "bf16", 0.3}}) {
    Json settings = training_settings(batch);
    settings["precision"] = precision;
    add_training_case(run, settings, step_figures(step, batch));
  }
  return run;
}

const MetricSummary& metric(const ValueSummary& value, std::string_view name) {
  return *std::find_if(value.metrics.begin(), value.metrics.end(),
                       [&](const MetricSummary& one) { return one.metric == name; });
}

TEST(SettingSummary, IsOverTheCasesOfEachValue) {
  const RunRecord run = run_of_three();
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"batch_size", "precision"});
  ASSERT_EQ(summaries.settings.size(), 2u);
  const SettingSummary& by_batch = summaries.settings[0];
  ASSERT_EQ(by_batch.values.size(), 2u);
  EXPECT_EQ(by_batch.values[0].value, "8") << "numbers ascend";
  EXPECT_THAT(by_batch.also_differ, ElementsAre("precision"));
  const MetricSummary& latency = metric(by_batch.values[0], "latency");
  EXPECT_EQ(latency.unit, "s");
  EXPECT_EQ(latency.cases.n, 2u);
  EXPECT_DOUBLE_EQ(latency.cases.min, 0.1);
  EXPECT_DOUBLE_EQ(latency.cases.mean, 0.2);
  EXPECT_DOUBLE_EQ(latency.cases.max, 0.3);
  EXPECT_NEAR(*latency.cases.stddev, std::sqrt(0.02), 1e-12);
  EXPECT_THAT(summaries.settings[1].also_differ, ElementsAre("batch_size"));
}

TEST(SettingSummary, LeavesOutWhatHasNoBelievableFigures) {
  RunRecord run = run_of_three();
  run.cases[0].status = Status::kCrashed;
  run.cases[1].summary->document.replace(0, 7, "level\t2");
  const SettingSummaries summaries = summaries_by(analyze_run(run), {"batch_size"});
  EXPECT_THAT(summaries.left_out, ::testing::UnorderedElementsAre("c01", "c02"));
  EXPECT_FALSE(metric(summaries.settings.at(0).values.at(0), "latency").cases.stddev) << "of one case";
}

TEST(SettingSummary, ASettingThatNoCaseHasIsRefusedWithThoseThatTheyHave) {
  const RunRecord run = run_of_three();
  try {
    summaries_by(analyze_run(run), {"optimiser"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("optimiser"), HasSubstr("Did you mean 'optimizer'?")));
  }
}

}  // namespace
}  // namespace transformeter
