// One replicate of each case: they share the data and its order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "plots/case_rows.h"
#include "plots/case_series.h"
#include "plots/pictures.h"
#include "report/loss_figure.h"
#include "report/sample_figures.h"

namespace transformeter {
namespace {

const Series* losses_of(const PlotCase& one) {
  for (const ReplicateRecord& replicate : one.one->record->replicates) {
    const Series* losses = find_series(replicate.series, "loss");
    if (replicate.status == Status::kOk && losses != nullptr && losses->value.size() > 1) return losses;
  }
  return nullptr;
}

}  // namespace

PictureAnswer loss_picture(const PlotCases& cases) {
  Picture picture;
  picture.title = "Loss per training step";
  std::vector<const PlotCase*> drawn;
  std::size_t steps = 0;
  for (const PlotCase& one : cases.cases) {
    if (losses_of(one) == nullptr) continue;
    drawn.push_back(&one);
    steps = std::max(steps, losses_of(one)->value.size());
  }
  if (drawn.empty()) return {};
  limit_cases(drawn, kNamedSeries, picture);
  const std::size_t stretch = (steps + kMaxMarks - 1) / kMaxMarks;
  Panel& panel = picture.panels.emplace_back();
  Figure& figure = panel.figure;
  double low = INFINITY;
  double high = -INFINITY;
  bool any_others = false;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    PlotCurve& curve = figure.plot.curves.emplace_back(loss_curve(losses_of(*drawn[i])->value, stretch));
    curve.role = role_of_series(i);
    curve.is_dashed = is_dashed_series(i);
    figure.curves.push_back(case_name(cases, *drawn[i]));
    any_others = any_others || drawn[i]->one->record->replicates.size() > 1;
    for (const PlotPoint& point : curve.points) {
      if (!std::isfinite(point.y)) continue;
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  if (!(low <= high)) return {std::nullopt, "finite losses"};
  figure.plot.x = step_axis(steps);
  figure.plot.y = make_axis({"loss (nat)", "", low, high, false, false});
  figure.plot.y.has_grid = true;
  figure.description =
      fmt::format("Loss of {} over {} steps, from {:.4g} to {:.4g}. ", counted(drawn.size(), "case"), steps, low, high);
  panel.width = 560;
  panel.height = 320;
  // Many lines that end at different steps would have their names far away.
  constexpr std::size_t kMostNames = 6;
  picture.names_lines = drawn.size() > 1 && drawn.size() <= kMostNames;
  for (std::size_t i = 0; i < drawn.size() && drawn.size() > kMostNames; ++i) {
    picture.legend.push_back({role_of_series(i), is_dashed_series(i), figure.curves[i]});
  }
  std::string note = "Loss of each step, warm-up steps included.";
  if (any_others) note += " The first replicate of each case.";
  if (stretch > 1) note += fmt::format(" Each point is the mean of {} steps.", stretch);
  picture.notes.insert(picture.notes.begin(), std::move(note));
  return {std::move(picture), ""};
}

}  // namespace transformeter
