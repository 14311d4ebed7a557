// Made-up cases for the tests of the metrics layer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metrics/case_metrics.h"
#include "schema/record.h"

namespace transformeter {

inline Series latency_series(std::vector<double> values, std::size_t warmup = 0, std::size_t batches = 1) {
  Series series = scalar_series("latency", 0);
  series.value = std::move(values);
  double start = 0;
  for (std::size_t i = 0; i < series.value.size(); ++i) {
    series.start_s.push_back(start);
    start += series.value[i];
    series.index.push_back(i < warmup ? 0 : static_cast<std::int64_t>((i - warmup) % batches));
    series.examples.push_back(8);
    series.useful_tokens.push_back(60);
    series.processed_tokens.push_back(80);
    series.flags.push_back(i < warmup ? std::uint32_t{kSampleWarmup} : 0U);
  }
  return series;
}

inline ReplicateRecord replicate_of(std::vector<Series> series, int index = 0) {
  ReplicateRecord replicate;
  replicate.index = index;
  replicate.series = std::move(series);
  return replicate;
}

/// Of readable counters that find nothing, so that a test sees only what it puts in.
inline std::vector<Series> quiet_machine() {
  std::vector<Series> series;
  const std::pair<const char*, double> values[] = {{"window", 10},
                                                   {"own_cpu_time", 10},
                                                   {"allowed_cpus", 1},
                                                   {"foreign_cpu_time", 0.1},
                                                   {"steal_time", 0},
                                                   {"cpu_time_resolution", 0.03},
                                                   {"run_queue_wait_time", 0.05},
                                                   {"major_faults", 0},
                                                   {"thermal_throttle_events", 0},
                                                   {"quota_throttle_time", 0},
                                                   {"frequency_before", 3e9},
                                                   {"frequency_after", 3.1e9},
                                                   {"clock_resolution", 2e-8},
                                                   {"harness_cost", 1e-7},
                                                   {"non_finite_outputs", 0}};
  for (const auto& [name, value] : values) series.push_back(scalar_series(name, value));
  return series;
}

/// `series` replace those of the same name.
inline CaseRecord case_of(std::vector<Series> series) {
  std::vector<Series> all = quiet_machine();
  for (Series& one : series) {
    std::erase_if(all, [&](const Series& other) { return other.name == one.name; });
    all.push_back(std::move(one));
  }
  CaseRecord the_case;
  the_case.status = Status::kOk;
  the_case.replicates.push_back(replicate_of(std::move(all)));
  return the_case;
}

/// `count` steady samples around 10 ms: 10.0, 10.1, 9.9, 10.2, 9.8 ms in a fixed shuffled order without trend.
inline std::vector<double> steady_values(std::size_t count) {
  constexpr double kPattern[] = {10.0, 10.2, 9.8, 10.1, 9.9, 9.9, 10.1, 10.0, 9.8, 10.2};
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(kPattern[i % 10] * 1e-3);
  return values;
}

/// Cases here were measured in one window, which is a reason to doubt them all; its own tests look at that.
inline Verdict apart_from_window(Verdict verdict) {
  std::erase_if(verdict.reasons, [](const Finding& reason) { return reason.name == "single_window"; });
  Verdict rest;
  for (Finding& reason : verdict.reasons) rest.add_reason(reason.name, std::move(reason.detail));
  rest.notes = std::move(verdict.notes);
  return rest;
}

inline const MetricRow& row_of(const CaseAnalysis& analysis, std::string_view name, std::string_view statistic) {
  static const MetricRow missing{};
  const MetricRow* row = find_metric(analysis.metrics, name, statistic);
  return row == nullptr ? missing : *row;
}

/// The detail of a finding; "(absent)" when it is not there.
inline std::string detail_of(const std::vector<Finding>& findings, std::string_view name) {
  for (const Finding& finding : findings) {
    if (finding.name == name) return finding.detail;
  }
  return "(absent)";
}

inline std::vector<std::string> names_of(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) names.push_back(finding.name);
  return names;
}

}  // namespace transformeter
