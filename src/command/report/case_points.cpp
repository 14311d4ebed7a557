// An interval may reach zero or below, where a logarithm has no place for it.
#include "report/case_points.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

constexpr double kLogFrom = 20;  // largest over smallest value from which a logarithmic axis shows more

bool has_finite_interval(const MetricRow& row) {
  return row.low && row.high && std::isfinite(*row.low) && std::isfinite(*row.high);
}

}  // namespace

PlotMark mark_of(const AnalyzedCase& one) {
  switch (one.analysis.verdict.level) {
    case VerdictLevel::kValid:
      return PlotMark::kFilled;
    case VerdictLevel::kDoubtful:
      return PlotMark::kHollow;
    case VerdictLevel::kInvalid:
      return PlotMark::kCross;
  }
  return PlotMark::kFilled;
}

PlotPoint point_of(const MetricRow& row, double x, PlotMark mark) {
  PlotPoint point{x, *row.value, std::nullopt, std::nullopt, mark};
  if (has_finite_interval(row)) {
    point.low = row.low;
    point.high = row.high;
  }
  return point;
}

PlotPoint point_of(const AnalyzedCase& one, const MetricRow& row, double x) {
  return point_of(row, x, mark_of(one));
}

void ValueExtent::add(const MetricRow& row) {
  const bool has_interval = has_finite_interval(row);
  low = std::min({low, *row.value, has_interval ? *row.low : *row.value});
  high = std::max({high, *row.value, has_interval ? *row.high : *row.value});
  smallest_value = std::min(smallest_value, *row.value);
}

PlotAxis value_axis(const std::string& words, std::string_view unit, ValueExtent extent, std::optional<bool> is_log) {
  const bool spans_much = extent.smallest_value > 0 && extent.high / extent.smallest_value >= kLogFrom;
  const bool as_log = is_log.value_or(spans_much);
  if (as_log && !(extent.low > extent.smallest_value / kLogFrom)) extent.low = extent.smallest_value / 2;
  PlotAxis axis = make_axis({words, std::string(unit), extent.low, extent.high, as_log, true});
  axis.has_grid = true;
  return axis;
}

bool cut_bars(PlotCurve& curve, const PlotAxis& axis) {
  bool any = false;
  for (PlotPoint& point : curve.points) {
    if (!axis.is_log || !point.low || *point.low >= axis.from) continue;
    point.low = axis.from;
    any = true;
  }
  return any;
}

std::string marks_note(const std::vector<PlotCurve>& curves) {
  bool any_interval = false;
  bool any_doubtful = false;
  bool any_invalid = false;
  for (const PlotCurve& curve : curves) {
    for (const PlotPoint& point : curve.points) {
      any_interval = any_interval || point.low.has_value();
      any_doubtful = any_doubtful || point.mark == PlotMark::kHollow;
      any_invalid = any_invalid || point.mark == PlotMark::kCross;
    }
  }
  std::string note = any_interval ? " Bars: 95 % intervals." : " No intervals.";
  if (any_doubtful) note += " Hollow marks: doubtful.";
  if (any_invalid) note += " Crosses: invalid.";
  return note;
}

}  // namespace transformeter
