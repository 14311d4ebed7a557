// The report's plot of samples, once for each case.
#include <algorithm>

#include "plots/case_rows.h"
#include "plots/pictures.h"
#include "report/sample_figures.h"

namespace transformeter {

PictureAnswer time_series_picture(const PlotCases& cases) {
  constexpr std::size_t kMostCases = 12;
  Picture picture;
  picture.title = "Samples in the order of measuring";
  std::vector<const PlotCase*> drawn;
  for (const PlotCase& one : cases.cases) {
    if (!counted_samples(*one.one).empty()) drawn.push_back(&one);
  }
  if (drawn.empty()) return {};
  picture.notes.emplace_back("Shaded or grey: warm-up, not counted. Dashed: median. Triangles: off the scale.");
  limit_cases(drawn, kMostCases, picture);
  picture.columns = std::min<std::size_t>(drawn.size(), drawn.size() > 4 ? 3 : 2);
  for (const PlotCase* one : drawn) {
    Panel& panel = picture.panels.emplace_back();
    panel.figure = sample_figures(*one->one).front();
    panel.figure.title = case_name(cases, *one);
    panel.figure.description = panel.figure.title + ": " + panel.figure.description + " ";
    panel.height = 180;
  }
  if (drawn.size() == 1) picture.title += ": " + case_name(cases, *drawn.front());
  return {std::move(picture), ""};
}

}  // namespace transformeter
