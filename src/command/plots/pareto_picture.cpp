// Cases by what they take and what they give; those on the Pareto front have names.
#include <fmt/format.h>

#include "analysis/pareto.h"
#include "base/units.h"
#include "plots/case_rows.h"
#include "plots/metric_choice.h"
#include "plots/named_points.h"
#include "plots/pictures.h"
#include "report/case_points.h"

namespace transformeter {
namespace {

struct Candidate {
  const PlotCase* one;
  MetricRow time;     // lower is better
  MetricRow quality;  // higher is better
};

std::vector<Candidate> candidates_of(const PlotCases& cases, const MetricChoice& time, const MetricChoice& quality) {
  std::vector<Candidate> all;
  for (const PlotCase& one : cases.cases) {
    const auto x = chosen_row(one, time);
    const auto y = chosen_row(one, quality);
    if (x && y) all.push_back({&one, *x, *y});
  }
  return all;
}

std::vector<bool> front_of(const std::vector<Candidate>& all) {
  std::vector<std::vector<double>> points;
  for (const Candidate& one : all) points.push_back({*one.time.value, -*one.quality.value});
  return pareto_front(points);
}

void add_points(Figure& figure, const PlotCases& cases, const std::vector<Candidate>& all) {
  std::vector<NamedPoint> points;
  const std::vector<bool> is_on_front = front_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Candidate& one = all[i];
    NamedPoint& made = points.emplace_back();
    made.point = point_of(*one.one->one, one.quality, *one.time.value);
    if (!is_on_front[i]) continue;
    made.name = case_name(cases, *one.one);
    figure.description +=
        fmt::format("{}: {} in {}. ", made.name, format_quantity(*one.quality.value, one.quality.unit),
                    format_quantity(*one.time.value, one.time.unit));
  }
  add_named_points(figure, points);
}

}  // namespace

PictureAnswer pareto_picture(const PlotCases& cases) {
  const auto more_of = [&](const char* one, const char* other) {
    return metric_choice(value_count(cases, metric_choice(one)) > 1 ? one : other);
  };
  const MetricChoice time =
      value_count(cases, metric_choice("time_per_example")) > 1 && value_count(cases, metric_choice("accuracy")) > 1
          ? metric_choice("time_per_example")
          : more_of("latency", "cycle_time");
  const MetricChoice quality = more_of("accuracy", "throughput_samples");
  const std::vector<Candidate> all = candidates_of(cases, time, quality);
  if (all.size() < 2) return {};
  Picture picture;
  picture.title = fmt::format("Trade-off of {} and {}", quality.words(), time.words());
  Panel& panel = picture.panels.emplace_back();
  add_points(panel.figure, cases, all);
  ValueExtent x;
  ValueExtent y;
  for (const Candidate& one : all) {
    MetricRow time_alone = one.time;  // its interval is not drawn
    time_alone.low.reset();
    x.add(time_alone);
    y.add(one.quality);
  }
  panel.figure.plot.x = value_axis(time.words(), time.unit, x);
  panel.figure.plot.y = value_axis(quality.words(), quality.unit, y);
  for (PlotCurve& curve : panel.figure.plot.curves) cut_bars(curve, panel.figure.plot.y);
  panel.width = 560;
  panel.height = 340;
  picture.names_lines = true;
  picture.notes.push_back(
      fmt::format("Named: cases that no other case beats in both; up and left is better. Grey: the others.{}",
                  marks_note(panel.figure.plot.curves)));
  return {std::move(picture), ""};
}

}  // namespace transformeter
