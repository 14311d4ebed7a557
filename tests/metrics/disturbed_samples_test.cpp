// Flags from CPU time, and the rows that leave flagged samples out.
#include "metrics/disturbed_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "metrics/case_metrics.h"
#include "metrics/metrics_testing.h"

namespace transformeter {
namespace {

// Samples of 10 ms that got 19 ms of CPU time; those at `places` take twice as long for the same work.
std::vector<Series> measured(std::size_t count, const std::vector<std::size_t>& places, std::size_t warmup = 0,
                             std::size_t batches = 1) {
  std::vector<double> values(count, 0.010);
  for (const std::size_t place : places) values[place] = 0.020;
  return {latency_series(values, warmup, batches), value_series("sample_cpu_time", std::vector(count, 0.019))};
}

std::vector<std::size_t> flagged(const std::vector<Series>& series) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < series[0].flags.size(); ++i) {
    if ((series[0].flags[i] & kSampleDisturbed) != 0) places.push_back(i);
  }
  return places;
}

std::vector<std::size_t> flagged_after(std::vector<Series> series, std::size_t begin = 0, bool by_index = false) {
  flag_disturbed(series, begin, by_index);
  return flagged(series);
}

using Places = std::vector<std::size_t>;

TEST(DisturbedSamples, AreThoseWithALowShareOfCpuTime) {
  EXPECT_EQ(flagged_after(measured(20, {5, 11})), (Places{5, 11}));
  std::vector<Series> series = measured(20, {});
  series[1].value[7] = 0.019 * 0.975;
  series[1].value[8] = 0.019 * 0.965;
  series[1].value[9] = 0.030;
  EXPECT_EQ(flagged_after(series), Places{8});
}

TEST(DisturbedSamples, AreNotFoundWithinTheScatterOfTicks) {
  std::vector<Series> series = measured(20, {});
  for (std::size_t i = 0; i < 20; ++i) series[1].value[i] += i % 2 == 0 ? 0.002 : -0.002;  // MAD 10 %
  EXPECT_EQ(flagged_after(series), Places{});
  series[1].value[7] = 0.019 * 0.5;
  EXPECT_EQ(flagged_after(series), Places{7});
}

TEST(DisturbedSamples, WarmUpHasNoPartInIt) {
  std::vector<Series> series = measured(20, {1, 2, 9}, 4);
  EXPECT_EQ(flagged_after(series), Places{9});
  EXPECT_EQ(flagged_after(measured(20, {1, 9, 15}), 10), Places{15}) << "another window's samples are left alone";
}

TEST(DisturbedSamples, BatchesThatDifferAreHeldAgainstThemselves) {
  // Batch 1 of each cycle runs on one thread.
  std::vector<Series> series = measured(20, {}, 0, 2);
  for (std::size_t i = 1; i < 20; i += 2) series[1].value[i] = 0.010;
  series[1].value[7] = 0.008;
  EXPECT_EQ(flagged_after(series, 0, true), Places{7});
}

TEST(DisturbedSamples, NeedCpuTimeOfEachSample) {
  std::vector<Series> series = measured(20, {5});
  series[1].value.pop_back();
  EXPECT_EQ(flagged_after(series), Places{});
  EXPECT_FALSE(counts_cpu_time(series));
  series.pop_back();
  EXPECT_EQ(flagged_after(series), Places{});
  series = measured(20, {5});
  series[0].value[3] = 0;
  EXPECT_EQ(flagged_after(series), Places{}) << "a share that is not finite";
}

CaseRecord flagged_case(std::size_t count, const Places& places) {
  std::vector<Series> series = measured(count, places);
  flag_disturbed(series, 0, false);
  return case_of(std::move(series));
}

TEST(Undisturbed, LatencyIsTheMedianOfTheOthersBesideTheHeadline) {
  Places places;
  for (std::size_t i = 0; i < 12; ++i) places.push_back(4 * i + 2);
  const CaseAnalysis analysis = analyze_case(flagged_case(50, places));
  const MetricRow& row = row_of(analysis, "undisturbed_latency", "median");
  EXPECT_DOUBLE_EQ(row.value.value(), 0.010);
  EXPECT_EQ(row.n, 38U);
  EXPECT_EQ(row.interval, IntervalKind::kSingleWindow);
  const MetricRow& share = row_of(analysis, "undisturbed_share", "ratio");
  EXPECT_DOUBLE_EQ(share.value.value(), 38.0 / 50);
  EXPECT_EQ(share.n, 50U);
  EXPECT_EQ(row_of(analysis, "latency", "median").n, 50U) << "the headline leaves nothing out";
}

TEST(Undisturbed, LatencyIsMissingWithItsReason) {
  const auto reason = [](const CaseRecord& the_case, const char* metric = "undisturbed_latency") {
    const CaseAnalysis analysis = analyze_case(the_case);
    const MetricRow& row = row_of(analysis, metric, "");
    return row.value ? std::string("(a value)") : row.reason;
  };
  EXPECT_EQ(reason(flagged_case(50, {3})), "(a value)");
  const CaseRecord uncounted = case_of({latency_series(steady_values(50))});
  EXPECT_EQ(reason(uncounted), "not_available_here");
  EXPECT_EQ(reason(uncounted, "undisturbed_share"), "not_available_here");
  EXPECT_EQ(reason(uncounted, "quiet_latency"), "(a value)") << "of latency alone";
  CaseRecord of_gpu = flagged_case(50, {3});
  of_gpu.effective["device"] = "cuda:0";
  EXPECT_EQ(reason(of_gpu), "CPU only");
  const CaseRecord of_inputs = case_of(measured(48, {}, 0, 4));
  for (const char* metric : {"undisturbed_latency", "undisturbed_share", "quiet_latency"}) {
    EXPECT_EQ(reason(of_inputs, metric), "distribution over inputs");
  }
}

TEST(Undisturbed, QuietLatencyIsTheTenthPercentile) {
  std::minstd_rand random(1);
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(1e-3 * (10 + static_cast<double>(random() % 1000) / 1000));
  const auto quiet = [](std::vector<double> samples) {
    const CaseAnalysis analysis = analyze_case(case_of({latency_series(std::move(samples))}));
    return MetricRow(row_of(analysis, "quiet_latency", "p10"));
  };
  const MetricRow row = quiet(values);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(row.n, 200U);
  EXPECT_DOUBLE_EQ(row.value.value(), sorted[19]) << "the 20th of 200";
  values.resize(43);
  EXPECT_EQ(quiet(values).reason, "too_few_samples") << "as p90";
}

}  // namespace
}  // namespace transformeter
