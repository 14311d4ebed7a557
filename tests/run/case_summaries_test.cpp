// What a run knows of a case while it measures.
#include "run/case_summaries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/case_summary.h"
#include "metrics/latency_metrics.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

// Processes of 100, 100 and 110 ms: the median is 100, the interval 103 ± 14. It is judged by 14 %, and 18 % are shown.
TEST(CaseSummaries, WhatIsShownIsTheLargerSideAsInTables) {
  const TemporaryFolder folder;
  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  RunRecord run = mixed_run();
  run.cases = {measured_case(0, requested_of(8, 128, "fp32"), {0.1, 0.1, 0.11})};
  store->begin_run(run);
  const CaseSoFar so_far = keep_summary(*store, run.id, run.cases[0]);
  const CaseAnalysis analysis = analysis_of(run.cases[0]);
  const MetricRow& row = *headline(analysis.metrics);
  ASSERT_TRUE(so_far.half_width && so_far.shown_half_width && row.low && row.high);
  const double below = *row.value - *row.low;
  const double above = *row.high - *row.value;
  EXPECT_NEAR(*so_far.half_width, (below + above) / 2 / *row.value, 1e-12);
  EXPECT_NEAR(*so_far.shown_half_width, std::max(below, above) / *row.value, 1e-12);
  EXPECT_GT(*so_far.shown_half_width, *so_far.half_width + 0.02);
}

}  // namespace
}  // namespace transformeter
