// A table of what is taken from which series.
#include "metrics/scalar_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "metrics/case_settings.h"
#include "metrics/metric_groups.h"
#include "metrics/metric_rows.h"
#include "schema/scenario.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

using Reader = std::function<std::optional<double>(const ReplicateRecord&)>;

struct Scalar {
  std::string_view metric;  // and series
  std::string_view provenance;
};

// In the order of schema/metric_names.cpp.
constexpr std::array kMemory{Scalar{"peak_rss", "measured"}, Scalar{"peak_rss_load", "measured"},
                             Scalar{"peak_anonymous", "derived"}, Scalar{"baseline_rss", "measured"}};
constexpr std::array kTensors{Scalar{"pss_at_end", "measured"}, Scalar{"peak_allocated", "measured"}};
constexpr std::array kOthers{Scalar{"weight_bytes", "measured"},  Scalar{"load_time", "measured"},
                             Scalar{"tokenize_time", "measured"}, Scalar{"first_forward", "measured"},
                             Scalar{"cold_start", "measured"},    Scalar{"harness_cost", "measured"}};

// Nothing of a whole replicate, whose series has the starts of all slices.
std::optional<double> slice_start(const ReplicateRecord& replicate) {
  const Series* start = find_series(replicate.series, "slice_start");
  return start != nullptr && start->value.size() == 1 ? std::optional(start->value.front()) : std::nullopt;
}

MetricRow scalar_row(const std::vector<const ReplicateRecord*>& replicates, const Scalar& scalar, const Reader& reader,
                     std::string_view why_none = kNotAvailable) {
  std::vector<Estimate> estimates;
  for (const ReplicateRecord* replicate : replicates) {
    if (const auto value = reader(*replicate))
      estimates.push_back({*value, std::nullopt, 1, replicate->index, slice_start(*replicate)});
  }
  // One number of one process has no interval; that goes without saying.
  const std::string_view no_interval = estimates.size() == 1 ? "" : kOneNumberEach;
  const RowTitle title{scalar.metric, estimates.size() > 1 ? "mean" : "value", scalar.provenance};
  return replicated_row(title, estimates, estimates.empty() ? why_none : no_interval);
}

// A later pass costs less, so nothing stands in for the first one.
std::optional<double> first_forward(const ReplicateRecord& replicate) {
  const Series* latency = find_series(replicate.series, "latency");
  if (latency == nullptr) return std::nullopt;
  const bool is_observed = std::any_of(latency->flags.begin(), latency->flags.end(),
                                       [](std::uint32_t flags) { return (flags & kSampleFirst) != 0; });
  return is_observed ? scalar_of(replicate, "first_forward") : std::nullopt;
}

std::string why_no_first_forward(const CaseRecord& the_case) {
  if (is_train(the_case.requested)) return "a training step is more than a forward pass";
  return text_of_path(the_case.effective, {"null_reasons", "first_forward"})
      .value_or("the first forward pass was not observed");
}

std::optional<double> rss_above_baseline(const ReplicateRecord& replicate) {
  const auto peak = scalar_of(replicate, "peak_rss");
  const auto baseline = scalar_of(replicate, "baseline_rss");
  return peak && baseline ? std::optional(*peak - *baseline) : std::nullopt;
}

std::optional<double> foreign_load(const ReplicateRecord& replicate) {
  const auto foreign = scalar_of(replicate, "foreign_cpu_time");
  const auto window = scalar_of(replicate, "window");
  return foreign && window && *window > 0 ? std::optional(*foreign / *window) : std::nullopt;
}

// The counter covers the measuring window: every batch that is no warm-up, whether its time counts or not.
std::optional<double> page_faults(const ReplicateRecord& replicate, double batches_per_sample) {
  const auto faults = scalar_of(replicate, "minor_faults");
  const Series* latency = find_series(replicate.series, "latency");
  if (!faults || latency == nullptr) return std::nullopt;
  std::size_t batches = 0;
  for (std::size_t i = 0; i < latency->value.size(); ++i) {
    const bool is_warmup = i < latency->flags.size() && (latency->flags[i] & kSampleWarmup) != 0;
    batches += is_warmup ? 0 : 1;
  }
  if (batches == 0) return std::nullopt;
  return *faults / (static_cast<double>(batches) * batches_per_sample);
}

}  // namespace

bool is_count(double value) {
  return value >= 0 && value < 9e15 && value == std::floor(value);
}

std::optional<double> scalar_of(const ReplicateRecord& replicate, std::string_view series) {
  const Series* found = find_series(replicate.series, series);
  if (found == nullptr || found->value.empty() || !std::isfinite(found->value.front())) return std::nullopt;
  return found->value.front();
}

std::vector<MetricRow> scalar_metrics(const CaseRecord& the_case, const Slices& slices) {
  const std::vector<const ReplicateRecord*>& replicates = slices.replicates;
  std::vector<MetricRow> rows;
  const auto add = [&](const Scalar& scalar) {
    if (scalar.metric == "first_forward") {
      rows.push_back(scalar_row(replicates, scalar, first_forward, why_no_first_forward(the_case)));
      return;
    }
    rows.push_back(scalar_row(replicates, scalar,
                              [&](const ReplicateRecord& replicate) { return scalar_of(replicate, scalar.metric); }));
  };
  for (const Scalar& scalar : kMemory) add(scalar);
  rows.push_back(scalar_row(replicates, {"peak_rss_above_baseline", "derived"}, rss_above_baseline));
  for (const Scalar& scalar : kTensors) add(scalar);
  rows.push_back(forecast_metric(replicates, "peak_allocated_forecast", why_no_memory_forecast(the_case)));
  for (const Scalar& scalar : kOthers) add(scalar);
  const bool is_pass = unit_of(scenario_of(the_case.requested)) == SampledUnit::kCycle;
  const double batches = is_pass ? number_of_path(the_case.effective, {"cycle_batches"}).value_or(1) : 1;
  rows.push_back(scalar_row(slices.all, {"page_faults", "derived"}, [&](const ReplicateRecord& replicate) {
    return page_faults(replicate, std::max(1.0, batches));
  }));
  rows.push_back(scalar_row(slices.all, {"foreign_load", "derived"}, foreign_load));
  return rows;
}

MetricRow scalar_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name) {
  return scalar_row(replicates, {name, "measured"},
                    [&](const ReplicateRecord& replicate) { return scalar_of(replicate, name); });
}

std::string why_no_memory_forecast(const CaseRecord& the_case) {
  return text_of_path(the_case.effective, {"memory_forecast", "reason"}).value_or(std::string(kNotAvailable));
}

MetricRow forecast_metric(const std::vector<const ReplicateRecord*>& replicates, std::string_view name,
                          std::string_view why_none) {
  return scalar_row(
      replicates, {name, "derived"}, [&](const ReplicateRecord& replicate) { return scalar_of(replicate, name); },
      why_none);
}

std::vector<MetricRow> device_memory_metrics(const CaseRecord& the_case, const Slices& slices) {
  const bool is_gpu = text_of_path(the_case.effective, {"device"}).value_or("cpu") != "cpu";
  std::vector<MetricRow> rows;
  for (const char* name : {"peak_reserved", "device_process_memory"}) {
    const std::string reason =
        !is_gpu ? "GPU only"
                : text_of_path(the_case.effective, {"gpu", "null_reasons", name}).value_or(std::string(kNotAvailable));
    rows.push_back(scalar_row(
        slices.replicates, {name, "measured"},
        [&](const ReplicateRecord& replicate) { return scalar_of(replicate, name); }, reason));
  }
  return rows;
}

}  // namespace transformeter
