// A metric of every series along a setting, as a figure.
#pragma once

#include <optional>

#include "plots/case_series.h"
#include "plots/metric_choice.h"

namespace transformeter {

/// Which axes are logarithmic; nothing: as fits the values.
struct AxisScales {
  std::optional<bool> x;
  std::optional<bool> y;
};

/// Throws Error(kBadInput) where a logarithmic axis is asked for that has words, or values of 0 or less. The note says
/// what the metric is, and counts the cases that have no value, with the reasons.
Figure metric_figure(const PlotCases& cases, const AlongSetting& along, const MetricChoice& choice,
                     const AxisScales& scales);

}  // namespace transformeter
