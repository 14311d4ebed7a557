// How the loss of a training case fell, step by step.
#pragma once

#include <optional>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

/// A line for each replicate that is ok, warm-up included, for a model learns from the first step. Above kMaxMarks
/// steps means of equal stretches stand for them. Nothing for a case without two finite losses.
std::optional<Figure> loss_figure(const AnalyzedCase& one);

}  // namespace transformeter
