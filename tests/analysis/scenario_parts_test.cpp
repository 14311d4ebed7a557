// Runs of one scenario and of two.
#include "analysis/scenario_parts.h"

#include <gmock/gmock.h>

#include "analysis/case_label.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::ElementsAre;

Json request_of(int prompt_length, int new_tokens) {
  return {{"model", "distilbert-base"},     {"scenario", "generate"},   {"precision", "fp32"},
          {"prompt_length", prompt_length}, {"new_tokens", new_tokens}, {"attention", "sdpa"}};
}

TEST(ScenarioParts, ARunOfAnEarlierVersionIsAllBatches) {
  const RunRecord run = mixed_run();
  const AnalyzedRun analyzed = analyze_run(run);
  const auto parts = by_scenario(analyzed);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].scenario, Scenario::kBatch);
  EXPECT_EQ(parts[0].run.axes, analyzed.axes);
  EXPECT_EQ(parts[0].run.cases.size(), analyzed.cases.size());
}

TEST(ScenarioParts, EachPartHasItsOwnAxesAndTheRunsLabels) {
  RunRecord run;
  run.cases = {planned_case(0, requested_of(1, 16, "fp32")), planned_case(1, requested_of(8, 16, "fp32")),
               planned_case(2, request_of(64, 32)), planned_case(3, request_of(128, 32))};
  const auto parts = by_scenario(analyze_run(run));
  ASSERT_EQ(parts.size(), 2u);
  for (const ScenarioPart& part : parts) {
    const bool is_batch = part.scenario == Scenario::kBatch;
    EXPECT_THAT(part.run.axes, ElementsAre(is_batch ? "batch_size" : "prompt_length"));
    ASSERT_EQ(part.run.cases.size(), 2u);
    if (is_batch) continue;
    EXPECT_EQ(part.run.cases[1].label, "generate p128 n32");
  }
}

TEST(ScenarioParts, ARunWithoutCasesHasNone) {
  EXPECT_TRUE(by_scenario(analyze_run(RunRecord())).empty());
}

TEST(CaseLabel, RequestsAreNamedByTheirTokens) {
  EXPECT_EQ(long_label(planned_case(0, request_of(64, 32)), {}), "distilbert-base p64 n32 fp32 sdpa");
}

}  // namespace
}  // namespace transformeter
