// The order of a metric's statistics, whatever the slices and processes are like.
#include "metrics/latency_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/random.h"
#include "metrics/metrics_testing.h"
#include "stats/student_t.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr std::array<std::string_view, 8> kOrder{"min", "p10", "median", "p90", "p95", "p99", "p99.9", "max"};

SampleWindow window_of(std::vector<double> samples, double start_s, int process = 0) {
  SampleWindow window;
  window.effective_n = static_cast<double>(samples.size());
  window.samples = samples;
  window.seconds = std::move(samples);
  window.start_s = start_s;
  window.process = process;
  return window;
}

// Slices of one to four hundred samples at levels of their own; most noises are of a few slow samples or of bursts.
std::vector<double> drawn_samples(RandomStream& random) {
  const std::size_t count = random.below(3) == 0 ? 1 + random.below(3) : 1 + random.below(400);
  const double level = 0.01 * std::exp(0.3 * random.normal() + (random.below(4) == 0 ? 1.5 : 0));
  const double spread = random.below(5) == 0 ? 0 : 0.3 * random.uniform();
  const double slow_share = 0.4 * random.uniform();
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = random.uniform() < slow_share ? 1 + 4 * random.uniform() : 1;
    samples.push_back(level * factor * std::exp(spread * random.normal()));
  }
  return samples;
}

// One to twenty slices, or processes, or slices of two to four processes; some are not steady.
std::vector<SampleWindow> drawn_windows(RandomStream& random) {
  std::vector<SampleWindow> windows;
  const std::size_t count = 1 + random.below(20);
  const std::size_t processes = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    windows.push_back(window_of(drawn_samples(random), 10 * static_cast<double>(i), static_cast<int>(i % processes)));
    if (random.below(8) == 0) windows.back().problem = "no steady window";
  }
  return windows;
}

std::string text_of_row(const MetricRow& row) {
  return fmt::format("{} {} {} ({} to {}, {})", row.name, row.statistic, row.value.value_or(NAN), row.low.value_or(NAN),
                     row.high.value_or(NAN), name_of(row.interval));
}

void expect_in_order(const std::vector<MetricRow>& rows, std::string_view metric) {
  const MetricRow* last = nullptr;
  for (const std::string_view statistic : kOrder) {
    const MetricRow* row = find_metric(rows, metric, statistic);
    if (row == nullptr || !row->value) continue;
    if (last != nullptr) {
      EXPECT_LE(*last->value, *row->value) << text_of_row(*last) << " > " << text_of_row(*row);
    }
    last = row;
  }
  ASSERT_NE(last, nullptr);
  for (const MetricRow& row : rows) {
    if (!row.low || !row.high) continue;
    EXPECT_LE(*row.low, *row.value) << text_of_row(row);
    EXPECT_GE(*row.high, *row.value) << text_of_row(row);
  }
}

TEST(LatencyMetrics, StatisticsAreInOrderAndIntervalsHoldTheirValues) {
  RandomStream random(1, "latency_metrics");
  std::size_t with_p95 = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<SampleWindow> windows = drawn_windows(random);
    std::vector<MetricRow> rows = duration_metrics("latency", windows);
    rows.push_back(low_percentile_metric("latency", windows));
    expect_in_order(rows, "latency");
    with_p95 += find_metric(rows, "latency", "p95")->value ? 1 : 0;
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(with_p95, 100U);
}

// Twelve slices, of which four got the processor for two samples only, at ten times the time: the mean of the medians
// is 4 ms, above every percentile.
TEST(LatencyMetrics, StarvedSlicesDoNotLiftTheMedianAboveTheP95) {
  std::vector<SampleWindow> windows;
  for (int slice = 0; slice < 12; ++slice) {
    const bool is_starved = slice % 3 == 2;
    windows.push_back(window_of(std::vector<double>(is_starved ? 2 : 100, is_starved ? 0.01 : 0.001), 10.0 * slice));
  }
  const std::vector<MetricRow> rows = duration_metrics("latency", windows);
  const MetricRow& median = *find_metric(rows, "latency", "median");
  EXPECT_EQ(median.value, 0.001);
  EXPECT_EQ(find_metric(rows, "latency", "p95")->value, 0.001);
  // The interval is still that of the slices' medians: 4 ms ± t √(s² ÷ S′), s² = (8 · 3² + 4 · 6²) ÷ 11 and S′ = 1 +
  // 110 s ÷ 150 s.
  const double half = student_t_quantile(0.975, 11) * std::sqrt(216.0 / 11 / (1 + 110.0 / 150)) * 1e-3;
  EXPECT_EQ(median.interval, IntervalKind::kBetweenSlices);
  EXPECT_EQ(median.n, 12U);
  EXPECT_EQ(median.low, 0);
  EXPECT_NEAR(median.high.value(), 0.004 + half, 1e-9);
}

// Medians 1, 1 and 4: their mean is 2 ± 4.3, and the 60 samples' median 1.
TEST(LatencyMetrics, TheMedianOfProcessesIsOfAllTheirSamples) {
  std::vector<SampleWindow> windows;
  for (int process = 0; process < 3; ++process) {
    windows.push_back(window_of(std::vector<double>(20, process == 2 ? 4 : 1), 0, process));
  }
  const MetricRow median = median_metric("latency", windows);
  EXPECT_EQ(median.value, 1);
  EXPECT_EQ(median.interval, IntervalKind::kBetweenReplicates);
  EXPECT_EQ(median.n, 3U);
  EXPECT_EQ(median.low, 0);
  EXPECT_NEAR(median.high.value(), 2 + 4.3027, 1e-3);
}

// Of one window nothing is combined, and its own interval stays.
TEST(LatencyMetrics, TheMedianOfOneWindowKeepsItsInterval) {
  RandomStream random(2, "latency_metrics");
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(std::exp(random.normal()));
  const MetricRow median = median_metric("latency", {window_of(samples, 0)});
  EXPECT_EQ(median.value, median_of(samples));
  EXPECT_EQ(median.interval, IntervalKind::kSingleWindow);
  std::sort(samples.begin(), samples.end());
  const auto is_sample = [&](double value) { return std::binary_search(samples.begin(), samples.end(), value); };
  EXPECT_TRUE(is_sample(median.low.value()) && is_sample(median.high.value()));
}

}  // namespace
}  // namespace transformeter
