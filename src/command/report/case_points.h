// Cases as points of a plot: a metric's row with its interval and the case's verdict.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/plot.h"

namespace transformeter {

/// Filled for valid cases, hollow for doubtful, a cross for invalid ones.
PlotMark mark_of(const AnalyzedCase& one);

/// The row, which must have a value, at `x`; with its interval where both ends are finite.
PlotPoint point_of(const MetricRow& row, double x, PlotMark mark);
PlotPoint point_of(const AnalyzedCase& one, const MetricRow& row, double x);

/// Of values and intervals that are drawn.
struct ValueExtent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double smallest_value = std::numeric_limits<double>::infinity();

  void add(const MetricRow& row);
};

/// From 0 on, or logarithmic: by default where the values span much. A logarithmic one needs values above 0.
PlotAxis value_axis(const std::string& words, std::string_view unit, ValueExtent extent,
                    std::optional<bool> is_log = std::nullopt);

/// A bar that begins below a logarithmic axis, perhaps at zero or less, is drawn from the axis on; tells whether there
/// is one.
bool cut_bars(PlotCurve& curve, const PlotAxis& axis);

/// What bars and marks of the curves stand for: " Bars: 95 % intervals. Hollow marks: doubtful."
std::string marks_note(const std::vector<PlotCurve>& curves);

/// What a reader must know where cut_bars found one.
inline constexpr const char* kCutBars = " Bars that start at the axis continue beyond it.";

}  // namespace transformeter
