// The speed-up over the baseline against what was swept.
#pragma once

#include <optional>

#include "analysis/baseline_table.h"
#include "report/figure.h"

namespace transformeter {

/// Along padding, else batch size, sequence length or threads: the first with two values among the pairs that have a
/// speed-up; one line for each combination of the other settings. Nothing without such a setting.
std::optional<Figure> speed_up_figure(const AnalyzedRun& run, const BaselineTable& table);

}  // namespace transformeter
