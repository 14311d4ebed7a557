// Only samples that count: warm-up and cut cycles are left out, as in the metrics.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plots/case_rows.h"
#include "plots/case_series.h"
#include "plots/pictures.h"
#include "report/sample_figures.h"

namespace transformeter {

PictureAnswer ecdf_picture(const PlotCases& cases) {
  constexpr double kLogFrom = 8;
  Picture picture;
  picture.title = "Distribution of the samples' times";
  std::vector<const PlotCase*> drawn;
  for (const PlotCase& one : cases.cases) {
    if (counted_samples(*one.one).size() > 1) drawn.push_back(&one);
  }
  if (drawn.empty()) return {};
  limit_cases(drawn, kNamedSeries, picture);
  Panel& panel = picture.panels.emplace_back();
  Figure& figure = panel.figure;
  double low = INFINITY;
  double high = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::vector<double> sorted = counted_samples(*drawn[i]->one);
    PlotCurve& curve = figure.plot.curves.emplace_back(distribution_curve(sorted));
    curve.role = role_of_series(i);
    curve.is_dashed = is_dashed_series(i);
    figure.curves.push_back(case_name(cases, *drawn[i]));
    if (drawn.size() > 1) picture.legend.push_back({curve.role, curve.is_dashed, figure.curves.back()});
    figure.description += fmt::format("{}: {}. ", figure.curves.back(), counted(sorted.size(), "sample"));
    low = std::min(low, sorted.front());
    high = std::max(high, sorted.back());
  }
  figure.plot.x = make_axis({"time of a sample", "s", low, high, low > 0 && high / low > kLogFrom, false});
  figure.plot.y = make_axis({"share of samples", "ratio", 0, 1, false, true});
  figure.plot.y.has_grid = true;
  panel.width = 600;
  panel.height = 340;
  picture.notes.insert(picture.notes.begin(), "Empirical cumulative distribution; warm-up excluded.");
  return {std::move(picture), ""};
}

}  // namespace transformeter
