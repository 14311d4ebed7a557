// Figures with a row for each of several cases, the first on top.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figure.h"

namespace transformeter {

/// The height at which the row at `index` of `count` stands.
double row_height(std::size_t index, std::size_t count);

/// The vertical axis with these names, long ones cut, and the height that the rows need.
void set_rows(Plot& plot, const std::vector<std::string>& names);

}  // namespace transformeter
