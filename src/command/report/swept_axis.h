// The axis of a setting that was swept: a tic at each value that was measured.
#pragma once

#include <string>
#include <vector>

#include "report/plot.h"

namespace transformeter {

/// Over `values`, at least one, in any order; logarithmic where they span much. Tics that would meet are left out.
PlotAxis swept_axis(const std::string& label, std::vector<double> values);

}  // namespace transformeter
