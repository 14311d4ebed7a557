// What a person sees while a case is measured.
#include "run/live_estimate.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace transformeter {
namespace {

std::vector<Series> latencies(std::vector<double> values) {
  Series latency;
  latency.name = "latency";
  latency.index.assign(values.size(), 0);
  latency.flags.assign(values.size(), 0);
  latency.value = std::move(values);
  return {latency};
}

TEST(LiveEstimate, IsTheMedianOfAllSamplesAfterWarmUp) {
  std::vector<Series> series = latencies({9, 1, 2, 3, 4, 5});
  series[0].flags[0] = kSampleWarmup | kSampleFirst;
  series[0].flags[5] = kSampleDisturbed;  // the table's median counts it too
  const ProgressSamples samples = LiveEstimate().update(series);
  EXPECT_EQ(samples.count, 5u);
  EXPECT_EQ(samples.latency_s, 3);
}

// After a look at 20 samples the next is at 22.
TEST(LiveEstimate, TheLastLookIsOfAllSamples) {
  LiveEstimate estimate;
  estimate.update(latencies(std::vector<double>(20, 1)));
  const std::vector<Series> series = latencies(std::vector<double>(21, 3));
  EXPECT_EQ(estimate.update(series).latency_s, 1);
  const ProgressSamples last = estimate.last(series);
  EXPECT_EQ(last.count, 21u);
  EXPECT_EQ(last.latency_s, 3);
  EXPECT_EQ(LiveEstimate().last(latencies({})).latency_s, std::nullopt);
}

TEST(LiveEstimate, OfSlicesHasTheIntervalOfTheCase) {
  LiveEstimate estimate(UnitKind::kByIndex, IntervalSource::kCase);
  std::vector<Series> series = latencies(std::vector<double>(30, 1));
  EXPECT_EQ(estimate.update(series).half_width, std::nullopt) << "neighbouring samples say nothing of slow phases";
  estimate.set_half_width(0.05);
  EXPECT_EQ(estimate.update(series).half_width, 0.05);
  EXPECT_EQ(LiveEstimate().update(series).half_width, 0) << "of a single window";
  series[0].index[1] = 1;
  const ProgressSamples cycles = estimate.update(series);
  EXPECT_TRUE(cycles.is_of_cycle);
  EXPECT_EQ(cycles.half_width, std::nullopt) << "it is of the time of a cycle, the median of a batch";
}

TEST(LiveEstimate, TheLastLookHasTheIntervalOfTheCase) {
  LiveEstimate window;
  const std::vector<Series> series = latencies({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_NE(window.update(series).half_width, std::nullopt);
  EXPECT_EQ(window.last(series).half_width, std::nullopt) << "as of a window that drifts";
  window.set_half_width(0.25);
  EXPECT_EQ(window.last(series).half_width, 0.25);
  LiveEstimate one_of_several(UnitKind::kByIndex, IntervalSource::kNone);
  one_of_several.set_half_width(0.25);
  EXPECT_EQ(one_of_several.update(series).half_width, std::nullopt);
  EXPECT_EQ(one_of_several.last(series).half_width, std::nullopt) << "the case's interval is between replicates";
}

}  // namespace
}  // namespace transformeter
