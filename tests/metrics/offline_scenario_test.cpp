// Rows of cases whose units are passes over all examples.
#include <gtest/gtest.h>

#include "metrics/metrics_testing.h"
#include "metrics/scenario_type.h"

namespace transformeter {
namespace {

CaseRecord passes(const std::vector<double>& seconds) {
  CaseRecord one = case_of({latency_series(seconds)});
  one.requested = {{"scenario", "offline"}, {"task", "sequence_classification"}};
  one.effective = {{"cycle_batches", 5}};
  return one;
}

TEST(OfflineMetrics, AreThroughputAndTheTimeOfAllExamples) {
  const CaseAnalysis analysis = analyze_case(passes(steady_values(40)));  // around 10 ms, 8 examples each
  EXPECT_NEAR(*row_of(analysis, "cycle_time", "mean").value, 0.010, 1e-4);
  EXPECT_NEAR(*row_of(analysis, "throughput_samples", "ratio").value, 800, 8);
  EXPECT_NEAR(*row_of(analysis, "throughput_useful_tokens", "ratio").value, 6000, 60);
  EXPECT_NEAR(*row_of(analysis, "padding_share", "ratio").value, 0.25, 1e-12);
  EXPECT_TRUE(row_of(analysis, "throughput_samples", "ratio").low.has_value());
  for (const char* const metric : {"latency", "undisturbed_latency", "quiet_latency"}) {
    EXPECT_EQ(find_metric(analysis.metrics, metric, ""), nullptr) << metric << ": no example is waited for";
  }
}

TEST(OfflineMetrics, OfSoundsAreTheirSecondsToo) {
  CaseRecord the_case = passes(steady_values(40));
  EXPECT_EQ(find_metric(analyze_case(the_case).metrics, "throughput_audio_seconds", ""), nullptr);
  the_case.requested["audio_seconds"] = 2.5;
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& seconds = row_of(analysis, "throughput_audio_seconds", "ratio");
  const MetricRow& samples = row_of(analysis, "throughput_samples", "ratio");
  EXPECT_DOUBLE_EQ(seconds.value.value(), 2.5 * samples.value.value());
  EXPECT_DOUBLE_EQ(seconds.low.value(), 2.5 * samples.low.value());
  EXPECT_DOUBLE_EQ(seconds.high.value(), 2.5 * samples.high.value());
  EXPECT_EQ(seconds.unit, "audio s/s");
}

TEST(OfflineMetrics, OfFilesOfSoundsAreTheSecondsThatWereStored) {
  CaseRecord the_case = passes(steady_values(40));
  the_case.replicates.front().series.push_back(value_series("audio_seconds", {30}));
  const CaseAnalysis analysis = analyze_case(the_case);
  EXPECT_NEAR(*row_of(analysis, "throughput_audio_seconds", "ratio").value, 30 / 0.01, 30);
  EXPECT_TRUE(row_of(analysis, "throughput_audio_seconds", "ratio").low.has_value());
}

TEST(OfflineMetrics, CountEachUnitWhateverItsBatches) {
  const CaseAnalysis analysis = analyze_case(passes(steady_values(7)));
  EXPECT_EQ(row_of(analysis, "cycle_time", "mean").n, 7U) << "seven units, and no cycle of five samples";
}

TEST(OfflineMetrics, ShareOfThePeakIsOfTheWorkOfAUnit) {
  CaseRecord one = passes(steady_values(40));
  one.replicates.front().series.push_back(scalar_series("useful_flops", 4e9));
  one.replicates.front().series.push_back(scalar_series("processed_flops", 5e9));
  one.effective["peaks"] = {{"gemm", {{"quantity", "gemm_fp32"}, {"value", 1e12}}}};
  const CaseAnalysis analysis = analyze_case(one);
  EXPECT_NEAR(*row_of(analysis, "mfu", "ratio").value, 0.4, 0.01);
  EXPECT_NEAR(*row_of(analysis, "hfu", "ratio").value, 0.5, 0.01);
}

TEST(ScenarioTypes, AreOfEachScenarioThatARunMeasures) {
  for (const ScenarioName& known : kScenarioNames) {
    const bool is_measured = !known.help.empty();
    EXPECT_EQ(scenario_type(known.scenario).scenario, is_measured ? known.scenario : Scenario::kBatch) << known.name;
  }
  for (const ScenarioType& type : scenario_types()) {
    EXPECT_FALSE(type.columns.empty() || type.figures.empty() || type.answers.empty()) << name_of(type.scenario);
  }
}

}  // namespace
}  // namespace transformeter
