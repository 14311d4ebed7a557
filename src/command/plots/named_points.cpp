// One curve a name, since a curve has one colour.
#include "plots/named_points.h"

#include <cstddef>
#include <utility>

#include "plots/case_series.h"

namespace transformeter {

void add_named_points(Figure& figure, const std::vector<NamedPoint>& points) {
  PlotCurve others;
  others.role = PlotRole::kContext;
  others.has_line = false;
  std::size_t place = 0;
  for (const NamedPoint& one : points) {
    if (one.name.empty()) {
      others.points.push_back(one.point);
      continue;
    }
    PlotCurve& curve = figure.plot.curves.emplace_back();
    curve.role = role_of_series(place++);
    curve.has_line = false;
    curve.points = {one.point};
    figure.curves.push_back(one.name);
  }
  figure.plot.curves.push_back(std::move(others));
  figure.curves.emplace_back();
}

}  // namespace transformeter
