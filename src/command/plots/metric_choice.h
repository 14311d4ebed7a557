// Which of a case's figures a plot shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plots/plot_cases.h"

namespace transformeter {

struct MetricChoice {
  std::string name;       // a metric, or a comparison with the baseline
  std::string statistic;  // empty: the metric's headline
  std::string unit;
  std::string meaning;

  /// "latency p99", "throughput samples".
  std::string words() const;
  bool is_comparison() const;
};

/// Throws Error(kBadInput) with the nearest name for that of no metric.
void check_metric_name(const std::string& name);

/// "latency", "latency:p99", "speed_up". Throws Error(kBadInput) for an unknown metric, naming the nearest, and for a
/// statistic that no case has of it, naming those that there are.
MetricChoice parse_metric(const PlotCases& cases, const std::string& text);

/// Of a declared name.
MetricChoice metric_choice(const std::string& name);

/// The row with a finite value, or nothing. The headline of `latency` only where the cycle is one batch: of several, it
/// describes inputs, and `cycle_time` is the case's speed.
std::optional<MetricRow> chosen_row(const PlotCase& one, const MetricChoice& choice);

/// Why the cases without one have none: the most frequent reasons, each with its number of cases.
std::string missing_reasons(const PlotCases& cases, const MetricChoice& choice);

/// Throws Error(kUnsupported) with the reasons when no case has a value.
void check_has_values(const PlotCases& cases, const MetricChoice& choice);

/// Cases that have a value.
std::size_t value_count(const PlotCases& cases, const MetricChoice& choice);

}  // namespace transformeter
