// Names are checked before anything is read.
#include "analysis/metric_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "schema/metric_names.h"

namespace transformeter {

std::string MetricName::text() const {
  return statistic.empty() ? metric : fmt::format("{}.{}", metric, statistic);
}

const std::vector<std::string>& known_statistics() {
  static const std::vector<std::string> kStatistics{"median", "mean", "stddev", "min",   "max",   "mad",   "p10",
                                                    "p90",    "p95",  "p99",    "p99.9", "total", "ratio", "value"};
  return kStatistics;
}

MetricName parse_metric_name(std::string_view text) {
  const std::string_view word = trim(text);
  const std::size_t dot = word.find_first_of(".:");
  MetricName name{std::string(word.substr(0, dot)), ""};
  std::vector<std::string> metrics;
  for (const MetricTerm& term : metric_terms()) metrics.emplace_back(term.name);
  if (std::find(metrics.begin(), metrics.end(), name.metric) == metrics.end()) {
    throw unknown_value("metric", name.metric, metrics);
  }
  if (dot == std::string_view::npos) return name;
  name.statistic = std::string(word.substr(dot + 1));
  const std::vector<std::string>& statistics = known_statistics();
  if (std::find(statistics.begin(), statistics.end(), name.statistic) == statistics.end()) {
    throw unknown_value("statistic", name.statistic, statistics);
  }
  return name;
}

}  // namespace transformeter
