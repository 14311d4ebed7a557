// A loss that is no number breaks its line.
#include "report/loss_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "report/plot_colours.h"
#include "report/sample_figures.h"

namespace transformeter {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::size_t count = 0;

  void add(const PlotCurve& curve) {
    for (const PlotPoint& point : curve.points) {
      if (!std::isfinite(point.y)) continue;
      low = std::min(low, point.y);
      high = std::max(high, point.y);
      ++count;
    }
  }
};

}  // namespace

PlotCurve loss_curve(const std::vector<double>& losses, std::size_t stretch) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  PlotCurve curve;
  curve.has_marks = false;
  for (std::size_t begin = 0; begin < losses.size(); begin += stretch) {
    const std::size_t end = std::min(begin + stretch, losses.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += losses[i];
    const double mean = sum / static_cast<double>(end - begin);
    const bool is_drawn = std::isfinite(mean);
    const double place = static_cast<double>(begin + end + 1) / 2;
    curve.points.push_back(
        {is_drawn ? place : kNaN, is_drawn ? mean : kNaN, std::nullopt, std::nullopt, PlotMark::kFilled});
  }
  return curve;
}

PlotAxis step_axis(std::size_t steps) {
  PlotAxis axis = make_axis({"step", "", 1, static_cast<double>(steps), false, false});
  axis.from = 0.5;
  axis.to = static_cast<double>(steps) + 0.5;
  std::erase_if(axis.tics, [&](const PlotTic& tic) {
    return tic.at < axis.from || tic.at > axis.to || tic.at != std::floor(tic.at);
  });
  return axis;
}

std::optional<Figure> loss_figure(const AnalyzedCase& one) {
  Figure figure;
  figure.id = "loss";
  figure.title = "Loss per step";
  std::vector<const Series*> losses;
  std::vector<int> replicates;
  std::size_t steps = 0;
  for (const ReplicateRecord& replicate : one.record->replicates) {
    const Series* series = find_series(replicate.series, "loss");
    if (replicate.status != Status::kOk || series == nullptr || series->value.empty()) continue;
    losses.push_back(series);
    replicates.push_back(replicate.index);
    steps = std::max(steps, series->value.size());
  }
  const std::size_t stretch = (steps + kMaxMarks - 1) / kMaxMarks;
  Extent extent;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    PlotCurve& curve = figure.plot.curves.emplace_back(loss_curve(losses[i]->value, stretch));
    curve.role = series_role(i);
    extent.add(curve);
    figure.curves.push_back(fmt::format("replicate {}", replicates[i]));
    if (losses.size() > 1) figure.legend.push_back({curve.role, false, figure.curves.back()});
  }
  if (extent.count < 2) return std::nullopt;
  figure.plot.height = 250;
  figure.plot.x = step_axis(steps);
  figure.plot.y = make_axis({"loss (nat)", "", extent.low, extent.high, false, false});
  figure.plot.y.has_grid = true;
  figure.note = "Loss of each step, warm-up steps included.";
  if (stretch > 1) figure.note += fmt::format(" Each point is the mean of {} steps.", stretch);
  figure.description =
      fmt::format("Loss of {} steps, from {:.4g} to {:.4g}. {}", steps, extent.low, extent.high, figure.note);
  return figure;
}

}  // namespace transformeter
