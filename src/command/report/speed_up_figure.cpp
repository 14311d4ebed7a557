// Lines over the pairs of a table, with a rule where both arms are equally fast.
#include "report/speed_up_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/case_label.h"
#include "metrics/case_settings.h"
#include "report/comparison_columns.h"
#include "report/plot_colours.h"
#include "report/swept_axis.h"

namespace transformeter {
namespace {

constexpr std::array kAxes{"padding",    "batch_size", "sequence_length", "prompt_length",
                           "new_tokens", "num_beams",  "threads"};

struct Point {
  double x = 0;
  const BaselinePair* pair = nullptr;
  const MetricRow* speed_up = nullptr;
};

struct Line {
  std::string label;
  std::vector<Point> points;  // ascending in x
};

std::vector<Point> points_along(const BaselineTable& table, const char* axis) {
  std::vector<Point> points;
  for (const BaselinePair& pair : table.pairs) {
    const auto x = number_of_path(pair.candidate->record->requested, {axis});
    const MetricRow* speed_up = find_row(pair, "speed_up");
    if (x && speed_up != nullptr && speed_up->value) points.push_back({*x, &pair, speed_up});
  }
  return points;
}

bool varies(const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(), [&](const Point& point) { return point.x != points.front().x; });
}

std::vector<Line> lines_of(const AnalyzedRun& run, const std::vector<Point>& points, const std::string& axis) {
  std::vector<std::string> others = run.axes;
  std::erase(others, axis);
  std::vector<Line> lines;
  std::map<std::string, std::size_t> places;
  for (const Point& point : points) {
    const std::string label = others.empty() ? "all pairs" : short_label(*point.pair->candidate->record, others);
    const auto [place, is_new] = places.emplace(label, lines.size());
    if (is_new) lines.push_back({label, {}});
    lines[place->second].points.push_back(point);
  }
  for (Line& line : lines) {
    std::stable_sort(line.points.begin(), line.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return lines;
}

PlotCurve curve_of(const Line& line, std::size_t place) {
  PlotCurve curve;
  curve.role = series_role(place);
  curve.is_dashed = place < kSeriesRoles && place % 2 == 1;
  if (curve.role == PlotRole::kContext) curve.mark_size = 0.4;
  for (const Point& point : line.points) {
    const bool is_decided = point.pair->speed.answer != SpeedAnswer::kUndecided;
    curve.points.push_back({point.x, *point.speed_up->value, point.speed_up->low, point.speed_up->high,
                            is_decided ? PlotMark::kFilled : PlotMark::kHollow});
  }
  return curve;
}

PlotAxis speed_up_axis(const std::vector<Point>& points) {
  double low = 1;
  double high = 1;
  for (const Point& point : points) {
    low = std::min({low, *point.speed_up->value, point.speed_up->low.value_or(low)});
    high = std::max({high, *point.speed_up->value, point.speed_up->high.value_or(high)});
  }
  PlotAxis axis = make_axis({"speed-up", "", low, high, false, false});
  axis.has_grid = true;
  return axis;
}

void add_line(Figure& figure, const Line& line, const std::string& axis_words) {
  const std::size_t place = figure.plot.curves.size();
  figure.plot.curves.push_back(curve_of(line, place));
  figure.curves.push_back(line.label);
  if (place < kSeriesRoles) figure.legend.push_back({series_role(place), place % 2 == 1, line.label});
  std::vector<std::string> parts;
  for (const Point& point : line.points) {
    parts.push_back(fmt::format("{} at {} {:.15g}", speed_up_text(point.speed_up), axis_words, point.x));
  }
  figure.description += fmt::format("{}: {}. ", line.label, fmt::join(parts, ", "));
}

}  // namespace

std::optional<Figure> speed_up_figure(const AnalyzedRun& run, const BaselineTable& table) {
  for (const char* axis : kAxes) {
    const std::vector<Point> points = points_along(table, axis);
    if (points.empty() || !varies(points)) continue;
    std::string words = axis;
    std::replace(words.begin(), words.end(), '_', ' ');
    Figure figure;
    figure.id = "speed-up";
    figure.title = fmt::format("Speed-up by {}", words);
    std::vector<double> values;
    for (const Point& point : points) values.push_back(point.x);
    figure.plot.x = swept_axis(words, std::move(values));
    figure.plot.y = speed_up_axis(points);
    figure.plot.horizontal = {1};
    const std::vector<Line> lines = lines_of(run, points, axis);
    for (const Line& line : lines) add_line(figure, line, words);
    figure.note =
        "Above 1 the candidate is faster than its baseline. Bars show intervals. Hollow marks: "
        "undecided.";
    if (lines.size() > kSeriesRoles) {
      figure.legend.push_back({PlotRole::kContext, false, fmt::format("{} others", lines.size() - kSeriesRoles)});
    }
    return figure;
  }
  return std::nullopt;
}

}  // namespace transformeter
