// The series have a value for each of latency's.
#include "metrics/device_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "metrics/latency_metrics.h"
#include "metrics/metric_rows.h"
#include "metrics/part_windows.h"
#include "stats/ratio.h"

namespace transformeter {
namespace {

using Replicates = std::vector<const ReplicateRecord*>;

bool has_series(const Replicates& replicates, std::string_view name) {
  return std::any_of(replicates.begin(), replicates.end(),
                     [&](const ReplicateRecord* replicate) { return find_series(replicate->series, name) != nullptr; });
}

// The series' values of the samples that count.
std::vector<double> values_of(const ReplicateRecord& replicate, std::string_view name, const SampleWindow& window) {
  const Series* latency = find_series(replicate.series, "latency");
  const Series* series = find_series(replicate.series, name);
  if (latency == nullptr || series == nullptr) return {};
  return taken(series->value, window, latency->value.size());
}

std::vector<MetricRow> phase_rows(const Replicates& replicates, const std::vector<SampleWindow>& windows,
                                  std::string_view name) {
  std::vector<SampleWindow> phases;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    phases.push_back(part_window(windows[i], values_of(*replicates[i], name, windows[i])));
    phases.back().batches_per_cycle = windows[i].batches_per_cycle;
  }
  return duration_metrics(name, phases);
}

MetricRow ratio_row(const RowTitle& title, const std::vector<Estimate>& estimates) {
  return replicated_row(title, estimates, estimates.empty() ? kNotAvailable : kTooFewSamples);
}

MetricRow launch_share(const Replicates& replicates, const std::vector<SampleWindow>& windows) {
  std::vector<Estimate> shares;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const std::vector<double> launch = values_of(*replicates[i], "launch_time", windows[i]);
    std::vector<double> rest = windows[i].samples;
    for (const char* phase : {"host_to_device", "device_to_host"}) {
      const std::vector<double> transfer = values_of(*replicates[i], phase, windows[i]);
      for (std::size_t k = 0; k < std::min(rest.size(), transfer.size()); ++k) rest[k] -= transfer[k];
    }
    if (launch.size() != rest.size()) continue;
    if (auto share = estimate_ratio(launch, rest)) {
      set_slice(*share, windows[i]);
      shares.push_back(*share);
    }
  }
  return ratio_row({"launch_share", "ratio", "derived"}, shares);
}

MetricRow back_to_back_row(const Replicates& replicates, std::string_view metric,
                           std::vector<std::int64_t> Series::*column) {
  std::vector<Estimate> rates;
  std::set<int> seen;  // measured in the first slice of a process
  for (const ReplicateRecord* replicate : replicates) {
    const Series* series = find_series(replicate->series, "back_to_back");
    if (series == nullptr || !seen.insert(replicate->index).second) continue;
    const std::vector<double> work((series->*column).begin(), (series->*column).end());
    if (auto rate = estimate_ratio(work, series->value)) {
      rate->process = replicate->index;
      rates.push_back(*rate);
    }
  }
  return ratio_row({metric, "ratio"}, rates);
}

}  // namespace

std::vector<MetricRow> device_metrics(const CaseRecord&, const Slices& slices) {
  const Replicates& replicates = slices.all;
  const std::vector<SampleWindow>& windows = slices.windows;
  if (!has_series(replicates, "device_time")) return {};
  std::vector<MetricRow> rows;
  for (const char* phase : {"device_time", "host_to_device", "device_to_host"}) {
    if (!has_series(replicates, phase)) continue;
    std::vector<MetricRow> more = phase_rows(replicates, windows, phase);
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  rows.push_back(launch_share(replicates, windows));
  rows.push_back(back_to_back_row(replicates, "throughput_back_to_back_samples", &Series::examples));
  rows.push_back(back_to_back_row(replicates, "throughput_back_to_back_useful_tokens", &Series::useful_tokens));
  return rows;
}

// Medians of parts need not add up to the whole's exactly.
void note_phases(const VerdictInput& input, Verdict& verdict) {
  constexpr double kSlack = 1.05;
  const auto median = [&](std::string_view metric) {
    const MetricRow* row = find_metric(input.metrics, metric, "median");
    return row == nullptr ? 0 : row->value.value_or(0);
  };
  const double phases_s = median("host_to_device") + median("device_time") + median("device_to_host");
  const MetricRow* pass = find_metric(input.metrics, "cycle_time", "mean");
  const double whole_s = pass != nullptr ? pass->value.value_or(0) : median("latency");
  if (!(whole_s > 0) || phases_s <= kSlack * whole_s) return;
  verdict.add_note(
      "phases_exceed_latency",
      fmt::format("the phases add up to {:.3g} s on the device's clock, the latency is {:.3g} s on the host's",
                  phases_s, whole_s));
}

}  // namespace transformeter
