// Cases as points of their own colours with names, the others in grey.
#pragma once

#include <string>
#include <vector>

#include "report/figure.h"
#include "report/plot.h"

namespace transformeter {

struct NamedPoint {
  PlotPoint point;
  std::string name;  // empty: one of the others
};

/// Adds a curve for each point with a name, and a last one without a name for the others.
void add_named_points(Figure& figure, const std::vector<NamedPoint>& points);

}  // namespace transformeter
