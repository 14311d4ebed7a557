// Runs as points in their order, with the levels between changes.
#include "plots/trend_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "plots/page_text.h"
#include "report/case_points.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostPanels = 12;

PlotMark mark_of(const TrendPoint& point) {
  return point.is_doubtful ? PlotMark::kHollow : PlotMark::kFilled;
}

// Names where they tell runs apart, else days and times.
std::vector<std::string> run_words(const TrendSeries& series) {
  const std::string& first = series.points.front().run->name;
  const bool are_named = std::any_of(series.points.begin(), series.points.end(),
                                     [&](const TrendPoint& point) { return point.run->name != first; });
  constexpr std::size_t kDay = 5;  // where it begins in "2026-11-28T15:19:34Z"
  constexpr std::size_t kLength = 11;
  std::vector<std::string> words;
  for (const TrendPoint& point : series.points) {
    const RunRecord& run = *point.run;
    if (are_named && !run.name.empty()) {
      words.push_back(run.name);
      continue;
    }
    const bool is_time = run.started_at.size() >= kDay + kLength;
    std::string& time = words.emplace_back(is_time ? run.started_at.substr(kDay, kLength) : run.id);
    std::replace(time.begin(), time.end(), 'T', ' ');
  }
  return words;
}

// As many runs as have room, evenly spread, are named.
PlotAxis run_axis(const TrendSeries& series) {
  constexpr int kWidestWord = 120;  // pixels
  constexpr std::size_t kMostTics = 12;
  PlotAxis axis;
  axis.label = "run";
  axis.from = -0.5;
  axis.to = static_cast<double>(series.points.size()) - 0.5;
  axis.is_slanted = true;
  const std::vector<std::string> words = run_words(series);
  const std::size_t step = (words.size() + kMostTics - 1) / kMostTics;
  for (std::size_t i = 0; i < words.size(); i += step) {
    axis.tics.push_back({static_cast<double>(i), text_within(one_line(words[i]), kWidestWord, kPanelFont)});
  }
  return axis;
}

PlotCurve measured_curve(const TrendSeries& series, ValueExtent& extent) {
  PlotCurve curve;
  curve.has_line = false;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const MetricRow& row = series.points[i].row;
    curve.points.push_back(point_of(row, static_cast<double>(i), mark_of(series.points[i])));
    extent.add(row);
  }
  return curve;
}

// A step at each change, half-way between two runs.
PlotCurve level_curve(const TrendSeries& series) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  PlotCurve curve;
  curve.role = PlotRole::kSeries2;
  curve.has_marks = false;
  const auto add = [&](double from, double to, double level) {
    if (!curve.points.empty()) curve.points.push_back({kNaN, kNaN, std::nullopt, std::nullopt, PlotMark::kFilled});
    curve.points.push_back({from, level, std::nullopt, std::nullopt, PlotMark::kFilled});
    curve.points.push_back({to, level, std::nullopt, std::nullopt, PlotMark::kFilled});
  };
  double from = -0.5;
  for (const TrendChange& change : series.changes) {
    const double at = static_cast<double>(change.at) - 0.5;
    add(from, at, change.before);
    from = at;
  }
  if (!series.changes.empty()) add(from, static_cast<double>(series.points.size()) - 0.5, series.changes.back().after);
  return curve;
}

std::string changes_text(const TrendSeries& series) {
  std::vector<std::string> parts;
  for (const TrendChange& change : series.changes) {
    const RunRecord& run = *series.points[change.at].run;
    parts.push_back(fmt::format("{} with {}", change_text(change), run.name.empty() ? run.id : run.name));
  }
  if (parts.empty()) return series.has_too_few ? "too few runs to find a change" : "no change";
  return fmt::format("{}", fmt::join(parts, ", "));
}

Panel trend_panel(const TrendSeries& series, const std::string& metric) {
  Panel panel;
  panel.width = 520;
  panel.height = 220;
  Figure& figure = panel.figure;
  figure.title =
      series.label.empty() ? changes_text(series) : fmt::format("{}: {}", series.label, changes_text(series));
  ValueExtent extent;
  figure.plot.curves = {level_curve(series), measured_curve(series, extent)};
  figure.curves = {"level", series.label};
  figure.plot.x = run_axis(series);
  figure.plot.y = make_axis({metric, series.points.front().row.unit, extent.low, extent.high, false, false});
  figure.plot.y.has_grid = true;
  for (const TrendChange& change : series.changes) {
    figure.plot.vertical.push_back(static_cast<double>(change.at) - 0.5);
  }
  const std::string& unit = series.points.front().row.unit;
  figure.description =
      fmt::format("{} over {}, from {} to {}: {}. ", metric, counted(series.points.size(), "run"),
                  format_quantity(extent.low, unit), format_quantity(extent.high, unit), changes_text(series));
  return panel;
}

}  // namespace

Picture trend_picture(const TrendReport& report) {
  std::vector<const TrendSeries*> drawn;
  for (const TrendSeries& series : report.series) {
    if (series.points.size() > 1) drawn.push_back(&series);
  }
  if (drawn.empty()) {
    throw Error(ErrorKind::kUnsupported, "a plot needs a series with two runs; leave out --plot");
  }
  std::stable_partition(drawn.begin(), drawn.end(), [](const TrendSeries* one) { return !one->changes.empty(); });
  const std::size_t all = drawn.size();
  drawn.resize(std::min(all, kMostPanels));
  Picture picture;
  picture.title = fmt::format("{} over runs", report.options.metric.text());
  picture.columns = drawn.size() > 1 ? 2 : 1;
  std::vector<PlotCurve> curves;
  for (const TrendSeries* series : drawn) {
    const Panel& panel = picture.panels.emplace_back(trend_panel(*series, report.options.metric.text()));
    curves.insert(curves.end(), panel.figure.plot.curves.begin(), panel.figure.plot.curves.end());
  }
  if (drawn.size() == 1) picture.title += ": " + picture.panels.front().figure.title;
  const bool has_levels = std::any_of(curves.begin(), curves.end(),
                                      [](const PlotCurve& curve) { return !curve.has_marks && !curve.points.empty(); });
  picture.notes.push_back(fmt::format("{}The vertical axis does not begin at 0.{}",
                                      has_levels ? "Lines: levels between changes, medians of the runs. " : "",
                                      marks_note(curves)));
  if (all > drawn.size()) {
    picture.notes.push_back(
        fmt::format("The first {} of {} series, those that changed before others; --where and "
                    "--group choose.",
                    drawn.size(), all));
  }
  return picture;
}

}  // namespace transformeter
