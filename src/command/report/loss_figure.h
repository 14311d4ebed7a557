// How the loss of a training case fell, step by step.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

/// A line without marks over steps from 1 on: of each `stretch` of them the mean, at its middle. A loss that is no
/// number breaks it.
PlotCurve loss_curve(const std::vector<double>& losses, std::size_t stretch);

/// Over the steps 1 to `steps`, with tics at whole ones.
PlotAxis step_axis(std::size_t steps);

/// A line for each replicate that is ok, warm-up included, for a model learns from the first step. Above kMaxMarks
/// steps means of equal stretches stand for them. Nothing for a case without two finite losses.
std::optional<Figure> loss_figure(const AnalyzedCase& one);

}  // namespace transformeter
