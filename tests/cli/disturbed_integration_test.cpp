// CPU time of samples through the real command: what is stored, and the rows made of it.
#include <gtest/gtest.h>

#include "cli/shell.h"
#include "metrics/case_metrics.h"

namespace transformeter {
namespace {

class Disturbed : public CommandTest {};

// Every fifth sample takes twice as long for the same CPU time.
Json behaviour() {
  return {{"latency", {{"mean_s", 0.01}, {"spike_every", 5}, {"spike_factor", 2}}}, {"cpu_time_s", 0.009}};
}

void expect_flags(const Series& latency) {
  std::size_t flagged = 0;
  for (std::size_t i = 0; i < latency.value.size(); ++i) {
    const bool is_counted = (latency.flags[i] & kSampleWarmup) == 0;
    const bool is_disturbed = (latency.flags[i] & kSampleDisturbed) != 0;
    EXPECT_EQ(is_disturbed, is_counted && latency.value[i] > 0.015) << i;
    flagged += is_disturbed ? 1 : 0;
  }
  EXPECT_GT(flagged, 5U);
}

TEST_F(Disturbed, SamplesAreStoredWithTheirFlags) {
  Json one_window = behaviour();
  one_window["samples"] = 50;
  ASSERT_EQ(shell(kRunOne, one_window).exit_code, 0);
  const RunRecord run = load();
  const CaseRecord& the_case = run.cases.at(0);
  expect_flags(*find_series(the_case.replicates.at(0).series, "latency"));
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_DOUBLE_EQ(find_metric(analysis.metrics, "undisturbed_latency", "")->value.value(), 0.01);
  EXPECT_NEAR(find_metric(analysis.metrics, "undisturbed_share", "")->value.value(), 0.8, 0.02);
}

TEST_F(Disturbed, SamplesAreFlaggedSliceBySlice) {
  ASSERT_EQ(shell(kRunOne + "--slices 3 --samples 60", behaviour()).exit_code, 0);
  const RunRecord run = load();
  const ReplicateRecord& replicate = run.cases.at(0).replicates.at(0);
  EXPECT_EQ(find_series(replicate.series, "slice_start")->value.size(), 3U);
  expect_flags(*find_series(replicate.series, "latency"));
}

}  // namespace
}  // namespace transformeter
