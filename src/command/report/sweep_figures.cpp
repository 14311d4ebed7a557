// Cases are put into groups that share a line; each metric then draws the same groups in the same colours.
#include "report/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/case_label.h"
#include "analysis/scenario_parts.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "metrics/scenario_type.h"
#include "report/case_points.h"
#include "report/metric_text.h"
#include "report/plot_colours.h"
#include "report/row_axis.h"
#include "report/swept_axis.h"
#include "schema/metric_names.h"

namespace transformeter {
namespace {

constexpr std::array kSweepAxes{"batch_size", "sequence_length", "prompt_length", "new_tokens",
                                "num_beams",  "threads",         "padding"};
struct Sweep {
  std::string axis;
  std::string axis_words;
};

// Cases that differ in the swept setting and what follows from it alone, ascending in it.
struct Group {
  std::string label;
  std::vector<const AnalyzedCase*> cases;
  PlotRole role = PlotRole::kContext;
  bool is_dashed = false;
};

std::optional<double> axis_value(const AnalyzedCase& one, const std::string& axis) {
  return number_of_path(one.record->requested, {axis.c_str()});
}

double best_throughput(const Group& group) {
  double best = -1;
  for (const AnalyzedCase* one : group.cases) {
    if (const MetricRow* row = plotted_row(*one, "throughput_samples")) best = std::max(best, *row->value);
  }
  return best;
}

// Up to kSeriesRoles groups have colours; of more, those with the highest throughput.
void give_colours(std::vector<Group>& groups) {
  std::vector<Group*> order;
  for (Group& group : groups) order.push_back(&group);
  if (groups.size() > kSeriesRoles) {
    std::stable_sort(order.begin(), order.end(),
                     [](const Group* a, const Group* b) { return best_throughput(*a) > best_throughput(*b); });
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i]->role = series_role(i);
    order[i]->is_dashed = i < kSeriesRoles && i % 2 == 1;
  }
}

std::vector<Group> groups_of(const AnalyzedRun& run, const std::string& axis) {
  std::vector<std::string> others = run.axes;
  std::erase(others, axis);
  std::vector<std::string> left_out = run.following;
  left_out.push_back(axis);
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const AnalyzedCase& one : run.cases) {
    if (!axis_value(one, axis)) continue;
    const auto [place, is_new] = places.emplace(key_without(one.record->requested, left_out), groups.size());
    if (is_new) groups.push_back({others.empty() ? "all cases" : short_label(*one.record, others), {}, {}, false});
    groups[place->second].cases.push_back(&one);
  }
  for (Group& group : groups) {
    std::stable_sort(group.cases.begin(), group.cases.end(), [&](const AnalyzedCase* a, const AnalyzedCase* b) {
      return *axis_value(*a, axis) < *axis_value(*b, axis);
    });
  }
  give_colours(groups);
  return groups;
}

PlotCurve curve_of(const Group& group, const std::string& axis, const std::string& metric) {
  PlotCurve curve;
  curve.role = group.role;
  curve.is_dashed = group.is_dashed;
  if (group.role == PlotRole::kContext) curve.mark_size = 0.4;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const AnalyzedCase* one : group.cases) {
    const MetricRow* row = plotted_row(*one, metric);
    if (row != nullptr) {
      curve.points.push_back(point_of(*one, *row, *axis_value(*one, axis)));
    } else if (!curve.points.empty()) {
      curve.points.push_back({kNaN, kNaN, std::nullopt, std::nullopt, PlotMark::kFilled});  // no line across a gap
    }
  }
  return curve;
}

PlotAxis axis_of(const Sweep& sweep, const std::vector<Group>& groups) {
  std::vector<double> values;
  for (const Group& group : groups) {
    for (const AnalyzedCase* one : group.cases) values.push_back(*axis_value(*one, sweep.axis));
  }
  return swept_axis(sweep.axis_words, std::move(values));
}

std::string description_of(const std::vector<Group>& groups, const Sweep& sweep, const std::string& metric) {
  constexpr std::size_t kMaxPoints = 24;
  std::string text;
  std::size_t told = 0;
  for (const Group& group : groups) {
    if (group.role == PlotRole::kContext) continue;
    std::vector<std::string> parts;
    for (const AnalyzedCase* one : group.cases) {
      const MetricRow* row = plotted_row(*one, metric);
      if (row == nullptr || told++ >= kMaxPoints) continue;
      parts.push_back(fmt::format("{} at {} {}", format_quantity(*row->value, row->unit), sweep.axis_words,
                                  setting_value_text(*one->record, sweep.axis)));
    }
    if (!parts.empty()) text += fmt::format("{}: {}. ", group.label, fmt::join(parts, ", "));
  }
  return text + "The table of cases lists every value.";
}

Figure new_figure(const ScenarioFigure& metric) {
  Figure figure;
  figure.id = metric.metric;
  std::replace(figure.id.begin(), figure.id.end(), '_', '-');
  return figure;
}

void add_legend(Figure& figure, const std::vector<Group>& groups) {
  std::size_t grey = 0;
  for (const Group& group : groups) {
    if (group.role == PlotRole::kContext) {
      ++grey;
    } else {
      figure.legend.push_back({group.role, group.is_dashed, group.label});
    }
  }
  if (grey > 0) {
    figure.legend.push_back({PlotRole::kContext, false, fmt::format("{} others", grey)});
    figure.note +=
        fmt::format(" Coloured: the {} combinations with the highest throughput; grey: {} others, listed in the table.",
                    kSeriesRoles, grey);
  }
}

// The groups with a value, in the colours that all figures share; where there are more groups than colours, each figure
// gives its own.
std::vector<Group> drawn_groups(const std::vector<Group>& groups, const char* metric) {
  std::vector<Group> drawn;
  for (const Group& group : groups) {
    const bool has_value = std::any_of(group.cases.begin(), group.cases.end(),
                                       [&](const AnalyzedCase* one) { return plotted_row(*one, metric) != nullptr; });
    if (has_value) drawn.push_back(group);
  }
  if (groups.size() > kSeriesRoles) give_colours(drawn);
  return drawn;
}

// Grey lines go first, so that they lie behind; nothing when fewer than two values are there.
std::optional<Figure> sweep_figure(const ScenarioFigure& metric, const Sweep& sweep, const std::vector<Group>& all) {
  const std::vector<Group> groups = drawn_groups(all, metric.metric);
  ValueExtent extent;
  std::size_t values = 0;
  for (const Group& group : groups) {
    for (const AnalyzedCase* one : group.cases) {
      const MetricRow* row = plotted_row(*one, metric.metric);
      if (row == nullptr) continue;
      extent.add(*row);
      ++values;
    }
  }
  if (values < 2) return std::nullopt;
  Figure figure = new_figure(metric);
  figure.title = fmt::format("{} by {}", metric.title, sweep.axis_words);
  figure.description = description_of(groups, sweep, metric.metric);
  figure.plot.x = axis_of(sweep, all);
  figure.plot.y = value_axis(metric.axis, metric_term(metric.metric).unit, extent);
  bool any_cut = false;
  for (const bool in_colour : {false, true}) {
    for (const Group& group : groups) {
      if ((group.role != PlotRole::kContext) != in_colour) continue;
      PlotCurve curve = curve_of(group, sweep.axis, metric.metric);
      any_cut = cut_bars(curve, figure.plot.y) || any_cut;
      figure.plot.curves.push_back(std::move(curve));
      figure.curves.push_back(group.label);
    }
  }
  figure.note = metric.better + marks_note(figure.plot.curves) + (any_cut ? kCutBars : "");
  if (figure.plot.y.is_log) figure.note += " Logarithmic vertical axis.";
  if (all.size() > 1) add_legend(figure, groups);  // a line alone needs no name
  return figure;
}

// One row for each case, the first on top.
std::optional<Figure> row_figure(const ScenarioFigure& metric, const AnalyzedRun& run) {
  ValueExtent extent;
  std::vector<const AnalyzedCase*> rows;
  std::size_t values = 0;
  for (const AnalyzedCase& one : run.cases) {
    const MetricRow* row = plotted_row(one, metric.metric);
    if (row == nullptr || ++values > kMaxRows) continue;
    extent.add(*row);
    rows.push_back(&one);
  }
  if (rows.size() < 2) return std::nullopt;
  Figure figure = new_figure(metric);
  figure.title = fmt::format("{} of each case", metric.title);
  PlotCurve curve;
  curve.has_line = false;
  curve.intervals_in_x = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MetricRow& row = *plotted_row(*rows[i], metric.metric);
    PlotPoint point = point_of(*rows[i], row, 0);
    point.x = *row.value;
    point.y = row_height(i, rows.size());
    curve.points.push_back(point);
    names.push_back(rows[i]->label);
    figure.description += fmt::format("{}: {}. ", rows[i]->label, format_quantity(*row.value, row.unit));
  }
  figure.plot.x = value_axis(metric.axis, metric_term(metric.metric).unit, extent);
  const bool any_cut = cut_bars(curve, figure.plot.x);
  set_rows(figure.plot, names);
  figure.plot.curves.push_back(std::move(curve));
  figure.note = metric.better + marks_note(figure.plot.curves) + (any_cut ? kCutBars : "");
  if (values > kMaxRows) figure.note += fmt::format(" First {} of {} cases.", kMaxRows, values);
  return figure;
}

std::string words_of(const std::string& setting) {
  std::string words = setting;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

const MetricRow* plotted_row(const AnalyzedCase& one, const std::string& metric) {
  if (!one.is_ok()) return nullptr;
  const MetricRow* row = metric == "latency" ? headline_time(one) : shown_metric(one, metric);
  return row != nullptr && row->name == metric && row->value && std::isfinite(*row->value) ? row : nullptr;
}

std::string sweep_axis(const AnalyzedRun& run) {
  for (const char* const axis : kSweepAxes) {
    std::vector<double> values;
    for (const AnalyzedCase& one : run.cases) {
      if (const auto value = axis_value(one, axis)) values.push_back(*value);
    }
    std::sort(values.begin(), values.end());
    if (!values.empty() && values.front() < values.back()) return std::string(axis);
  }
  return "";
}

namespace {

std::vector<Figure> part_figures(const ScenarioPart& part) {
  const Sweep sweep{sweep_axis(part.run), words_of(sweep_axis(part.run))};
  std::vector<Group> groups;
  if (!sweep.axis.empty()) groups = groups_of(part.run, sweep.axis);
  std::vector<Figure> figures;
  for (const ScenarioFigure& metric : scenario_type(part.scenario).figures) {
    auto figure = sweep.axis.empty() ? row_figure(metric, part.run) : sweep_figure(metric, sweep, groups);
    if (figure) figures.push_back(std::move(*figure));
  }
  return figures;
}

}  // namespace

std::vector<Figure> sweep_figures(const AnalyzedRun& run) {
  std::vector<Figure> figures;
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) {
    for (Figure& figure : part_figures(part)) {
      if (parts.size() > 1) {
        figure.id = fmt::format("{}-{}", name_of(part.scenario), figure.id);
        figure.title += fmt::format(", scenario {}", name_of(part.scenario));
      }
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace transformeter
