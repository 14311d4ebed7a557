// Rows of a device that works behind the host's back, from series of known values.
#include "metrics/device_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/metrics_testing.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Series scaled(const char* name, std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return value_series(name, std::move(values));
}

Series back_to_back() {
  Series series = value_series("back_to_back", std::vector<double>(12, 0.1));
  series.examples.assign(12, 160);
  series.useful_tokens.assign(12, 2000);
  series.processed_tokens.assign(12, 3000);
  return series;
}

// Batches of 10 ms, of which the GPU is at work for 8 and the host at handing over for `launch_share`.
CaseRecord gpu_case(double launch_share) {
  const std::vector<double> latencies = steady_values(60);
  return case_of({latency_series(latencies), scaled("device_time", latencies, 0.8),
                  scaled("launch_time", latencies, launch_share), scaled("host_to_device", latencies, 0.1),
                  scaled("device_to_host", latencies, 0.05), back_to_back()});
}

Series& series_of(CaseRecord& the_case, std::string_view name) {
  auto& all = the_case.replicates[0].series;
  return *std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
}

TEST(DeviceMetrics, AreOfTheSamplesThatCount) {
  CaseRecord the_case = gpu_case(0.3);
  series_of(the_case, "latency").flags[0] = kSampleWarmup;
  series_of(the_case, "device_time").value[0] = 99;
  const CaseAnalysis analysis = analyze_case(the_case);
  const double median = *row_of(analysis, "latency", "median").value;
  EXPECT_NEAR(*row_of(analysis, "device_time", "median").value, 0.8 * median, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "host_to_device", "median").value, 0.1 * median, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "device_to_host", "median").value, 0.05 * median, 1e-9);
  EXPECT_NEAR(*row_of(analysis, "launch_share", "ratio").value, 0.3 / 0.85, 1e-9) << "of what is no transfer";
  EXPECT_LT(*row_of(analysis, "device_time", "max").value, 1) << "warm-up does not count";
}

TEST(DeviceMetrics, DivideTotalsBackToBack) {
  const CaseAnalysis analysis = analyze_case(gpu_case(0.3));
  EXPECT_NEAR(*row_of(analysis, "throughput_back_to_back_samples", "ratio").value, 1600, 1e-6);
  EXPECT_NEAR(*row_of(analysis, "throughput_back_to_back_useful_tokens", "ratio").value, 20000, 1e-6);
}

TEST(DeviceMetrics, NoteTheHostThatIsTooSlow) {
  EXPECT_THAT(names_of(analyze_case(gpu_case(0.9)).verdict.notes), Contains("launch_bound"));
  EXPECT_THAT(names_of(analyze_case(gpu_case(0.3)).verdict.notes), Not(Contains(HasSubstr("launch_bound"))));
}

TEST(DeviceMetrics, NoteClocksThatDoNotAgree) {
  EXPECT_THAT(names_of(analyze_case(gpu_case(0.3)).verdict.notes), Not(Contains("phases_exceed_latency")));
  CaseRecord the_case = gpu_case(0.3);
  for (double& value : series_of(the_case, "device_time").value) value *= 1.2;
  EXPECT_THAT(names_of(analyze_case(the_case).verdict.notes), Contains("phases_exceed_latency"));
}

TEST(DeviceMetrics, AreNotThereOfADeviceThatKeepsTheHostWaiting) {
  for (const MetricRow& row : analyze_case(case_of({latency_series(steady_values(60))})).metrics) {
    EXPECT_NE(row.name, "device_time");
    EXPECT_NE(row.name, "launch_share");
  }
}

TEST(DeviceMetrics, OfASeriesThatDoesNotFitAreMissing) {
  CaseRecord the_case = gpu_case(0.3);
  series_of(the_case, "device_time").value.pop_back();
  const CaseAnalysis analysis = analyze_case(the_case);
  const MetricRow& row = row_of(analysis, "device_time", "median");
  EXPECT_FALSE(row.value);
  EXPECT_FALSE(row.reason.empty());
}

}  // namespace
}  // namespace transformeter
