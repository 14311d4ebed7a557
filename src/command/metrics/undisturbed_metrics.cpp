// Windows of fewer samples, estimated as latency is.
#include <string_view>

#include "metrics/case_settings.h"
#include "metrics/disturbed_samples.h"
#include "metrics/latency_metrics.h"
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "metrics/part_windows.h"

namespace transformeter {
namespace {

SampleWindow undisturbed_window(const ReplicateRecord& slice, const SampleWindow& window) {
  std::vector<double> samples;
  if (counts_cpu_time(slice.series)) {
    const Series& latency = *find_series(slice.series, "latency");
    for (const std::size_t place : window.places) {
      if ((latency.flags[place] & kSampleDisturbed) == 0) samples.push_back(latency.value[place]);
    }
  }
  SampleWindow undisturbed = part_window(window, std::move(samples));
  undisturbed.independent_slices = window.independent_slices;
  return undisturbed;
}

MetricRow share_row(const Slices& slices, const std::vector<SampleWindow>& undisturbed) {
  const RowTitle title{"undisturbed_share", "ratio", "derived"};
  std::size_t used = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < undisturbed.size(); ++i) {
    if (undisturbed[i].samples.empty()) continue;
    used += undisturbed[i].samples.size();
    all += slices.windows[i].samples.size();
  }
  if (all == 0) return missing_row(title, kNotAvailable);
  return estimate_row(title, Estimate{static_cast<double>(used) / static_cast<double>(all), std::nullopt, all},
                      IntervalKind::kNone);
}

std::vector<MetricRow> undisturbed_rows(const CaseRecord& the_case, const Slices& slices) {
  const auto missing = [](std::string_view why) {
    return std::vector{missing_row({"undisturbed_latency", "median"}, why),
                       missing_row({"undisturbed_share", "ratio"}, why)};
  };
  if (text_of_path(the_case.effective, {"device"}).value_or("cpu") != "cpu") return missing("CPU only");
  if (slices.windows.front().has_cycles()) return missing(kOverInputs);
  std::vector<SampleWindow> undisturbed;
  for (std::size_t i = 0; i < slices.all.size(); ++i) {
    undisturbed.push_back(undisturbed_window(*slices.all[i], slices.windows[i]));
  }
  return {median_metric("undisturbed_latency", undisturbed), share_row(slices, undisturbed)};
}

}  // namespace

std::vector<MetricRow> undisturbed_metrics(const CaseRecord& the_case, const Slices& slices) {
  std::vector<MetricRow> rows = undisturbed_rows(the_case, slices);
  rows.push_back(slices.windows.front().has_cycles() ? missing_row({"quiet_latency", "p10"}, kOverInputs)
                                                     : low_percentile_metric("quiet_latency", slices.windows));
  return rows;
}

}  // namespace transformeter
