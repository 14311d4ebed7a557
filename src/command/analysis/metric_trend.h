// How a metric of equal cases went over runs, and with which run it changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/metric_name.h"
#include "stats/change_points.h"

namespace transformeter {

struct TrendPoint {
  const RunRecord* run = nullptr;
  const CaseRecord* record = nullptr;
  MetricRow row;  // has a value
  bool is_doubtful = false;
};

/// A new level, from the point `at` on.
struct TrendChange {
  std::size_t at = 0;
  double before = 0;  // medians of the points up to the next change on each side
  double after = 0;
  double p_value = 1;
  std::vector<std::string> changes;  // what is another than at the point before: "threads 1 → 2"
};

struct TrendSeries {
  std::string label;
  std::vector<TrendPoint> points;  // by the start of their runs
  std::size_t left_out = 0;        // cases without a value, or invalid
  std::vector<TrendChange> changes;
  bool has_too_few = false;  // points for any change to be found at that level
};

struct TrendOptions {
  MetricName metric;
  std::vector<std::string> group;  // settings whose values make a series; empty: all of them
  ChangePointOptions change;
};

/// Series in the order in which they are met, of runs in any order. Change points are those of the values' logarithms,
/// or of the values where one is not positive. Throws Error(kBadInput) for an unknown setting, and where a run has
/// several cases of one series.
std::vector<TrendSeries> metric_trends(const std::vector<const RunRecord*>& runs, const TrendOptions& options);

}  // namespace transformeter
