// Rows from estimates.
#include "metrics/metric_rows.h"

#include <algorithm>
#include <cmath>

#include "schema/metric_names.h"

namespace transformeter {

MetricRow missing_row(const RowTitle& title, std::string_view reason) {
  const MetricTerm& term = metric_term(title.metric);
  MetricRow row;
  row.name = term.name;
  row.unit = term.unit;
  row.statistic = title.statistic;
  row.reason = reason;
  return row;
}

MetricRow estimate_row(const RowTitle& title, const Estimate& estimate, IntervalKind kind,
                       std::string_view no_interval) {
  if (!std::isfinite(estimate.value)) return missing_row(title, "the value is not finite");
  MetricRow row = missing_row(title, no_interval);
  row.value = estimate.value;
  row.n = estimate.n;
  row.provenance = title.provenance;
  if (estimate.interval && std::isfinite(estimate.interval->low) && std::isfinite(estimate.interval->high)) {
    row.low = estimate.interval->low;
    row.high = estimate.interval->high;
    row.interval = kind;
    row.reason.clear();
  }
  return row;
}

void set_slice(Estimate& estimate, const SampleWindow& window) {
  estimate.process = window.process;
  estimate.start_s = window.start_s;
}

MetricRow replicated_row(const RowTitle& title, const std::vector<Estimate>& slices, std::string_view reason) {
  const auto combined = combine_slices(slices);
  if (!combined) return missing_row(title, reason);
  const bool is_of_tail =
      reason == kTooFewSamples &&
      std::any_of(slices.begin(), slices.end(), [](const Estimate& slice) { return slice.has_heavy_tail; });
  return estimate_row(title, combined->estimate, combined->kind, is_of_tail ? kHeavyTail : reason);
}

}  // namespace transformeter
