// The axis of a setting that was swept: a tic at each value that was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot.h"

namespace transformeter {

/// Over `values`, at least one, in any order; logarithmic, by default where they span much. A logarithmic one needs
/// values above 0. Tics that would meet are left out.
PlotAxis swept_axis(const std::string& label, std::vector<double> values, std::optional<bool> wants_log = std::nullopt);

}  // namespace transformeter
