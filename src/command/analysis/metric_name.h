// A metric and one of its statistics, as they are typed: "latency.p95".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

struct MetricName {
  std::string metric;
  std::string statistic;  // empty: the headline

  /// "latency.p95", "latency".
  std::string text() const;
};

/// Those that rows of metrics have.
const std::vector<std::string>& known_statistics();

/// Throws Error(kBadInput) with the nearest name for an unknown metric or statistic.
MetricName parse_metric_name(std::string_view text);

}  // namespace transformeter
