// From raw series to metrics with intervals, a verdict with reasons, and notes. This is the only place that computes
// them, so every number can be recomputed from the samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/sample_window.h"
#include "schema/record.h"
#include "schema/verdict.h"
#include "stats/replicates.h"

namespace transformeter {

/// One metric of a case: a value, or the reason why there is none.
struct MetricRow {
  std::string name;  // declared in schema/metric_names.h
  std::string unit;
  std::string statistic;  // "median", "mean", "stddev", "min", "max", "mad", "p10", "p90", "p95", "p99", "p99.9",
                          // "total"; "ratio" of totals; "value" of one replicate
  std::optional<double> value;
  std::optional<double> low;  // of the 95 % interval
  std::optional<double> high;
  IntervalKind interval = IntervalKind::kNone;
  std::size_t n = 0;       // samples (or replicates, for between_replicates) behind the value
  std::string provenance;  // "measured", "derived"; empty for a missing value
  std::string reason;      // why the value, or its interval, is missing
};

/// The headline time of one slice.
struct SliceTime {
  int process = 0;         // index of the replicate
  std::int64_t round = 0;  // of the run
  double seconds = 0;      // median sample, or mean cycle

  bool operator==(const SliceTime&) const = default;
};

struct CaseAnalysis {
  std::vector<MetricRow> metrics;
  Verdict verdict;
  /// Per replicate: index of the first steady sample in the whole latency series, including warm-up; with several
  /// batches per cycle, the first sample of the first complete cycle. Nothing without a steady window.
  std::vector<std::optional<std::size_t>> steady_from;
  /// Of slices that know their round, in order: what pairs of cases are compared by.
  std::vector<SliceTime> slices;
};

/// Never throws for unusual data: what cannot be computed is null with a reason. Only replicates with status ok count;
/// a case without replicates has no metrics and a valid, empty verdict.
CaseAnalysis analyze_case(const CaseRecord& the_case);

/// The row of that name and statistic, or null. An empty statistic finds the name's first row, which is its headline.
const MetricRow* find_metric(const std::vector<MetricRow>& metrics, std::string_view name, std::string_view statistic);

/// The larger side of the row's interval relative to its value; infinite where the interval has no upper end, as that
/// of the inverse of a rate that may be 0; nothing without an interval or with a value of 0. What tables show after ±.
std::optional<double> relative_half_width(const MetricRow& row);

}  // namespace transformeter
