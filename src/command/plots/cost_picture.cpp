// A point for each case; those that no other case beats have names.
#include "plots/cost_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "analysis/pareto.h"
#include "base/error.h"
#include "base/text.h"
#include "plots/named_points.h"
#include "report/case_points.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// What is drawn against the cost.
enum class Against { kAccuracy, kMacroF1, kCompute, kTime };

struct CostPoint {
  const CaseCost* cost = nullptr;
  MetricRow per_unit;  // of the group's work
  MetricRow row;       // drawn against it
};

std::string words_of(Against against, const MetricRow& row) {
  switch (against) {
    case Against::kAccuracy:
      return "accuracy";
    case Against::kMacroF1:
      return "macro F1";
    case Against::kCompute:
      return "compute of a sample";
    case Against::kTime:
      break;
  }
  return row.name == "cycle_time" ? "time of a cycle of batches" : "time of a batch or request";
}

std::optional<MetricRow> row_of(const AnalyzedCase& one, Against against) {
  const auto found = [&](const MetricRow* row) {
    return row != nullptr && row->value ? std::optional(*row) : std::nullopt;
  };
  switch (against) {
    case Against::kAccuracy:
      return found(shown_metric(one, "accuracy"));
    case Against::kMacroF1:
      return found(shown_metric(one, "macro_f1"));
    case Against::kTime:
      return found(headline_time(one));
    case Against::kCompute:
      break;
  }
  std::optional<MetricRow> row = found(shown_metric(one, "flops"));
  if (!row) return row;
  row->value = *row->value / 1e9;
  row->unit = "GFLOP";
  return row;
}

std::vector<CostPoint> points_of(const CostGroup& group, Against against) {
  std::vector<CostPoint> points;
  for (const CaseCost& cost : group.costs) {
    const CostFigure* figure = cost.figure(group.per);
    if (figure == nullptr || !cost.one->is_usable()) continue;
    const auto row = row_of(*cost.one, against);
    if (!row) continue;
    CostPoint& point = points.emplace_back(CostPoint{&cost, {}, *row});
    point.per_unit.value = figure->value;
    point.per_unit.low = figure->low;
    point.per_unit.high = figure->high;
  }
  return points;
}

bool differ(const std::vector<CostPoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const CostPoint& one) { return *one.row.value != *points.front().row.value; });
}

// Compute is that of a model: of one model it is one number.
std::vector<Against> panels_of(const CostGroup& group) {
  const auto is_there = [&](Against against) { return points_of(group, against).size() > 1; };
  std::vector<Against> panels;
  if (is_there(Against::kAccuracy)) {
    panels.push_back(Against::kAccuracy);
  } else if (is_there(Against::kMacroF1)) {
    panels.push_back(Against::kMacroF1);
  }
  if (differ(points_of(group, Against::kCompute))) panels.push_back(Against::kCompute);
  if (panels.empty() && is_there(Against::kTime)) panels.push_back(Against::kTime);
  return panels;
}

// Of those that can be chosen the ones that no other beats in both; of compute, which is no gain, all.
std::vector<bool> named_points(const std::vector<CostPoint>& points, Against against) {
  std::vector<bool> is_named(points.size());
  std::vector<std::size_t> places;
  std::vector<std::vector<double>> costs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CostPoint& one = points[i];
    if (!one.cost->can_be_chosen()) continue;
    places.push_back(i);
    costs.push_back({*one.per_unit.value, against == Against::kTime ? *one.row.value : -*one.row.value});
  }
  const std::vector<bool> is_on_front = pareto_front(costs);
  for (std::size_t i = 0; i < places.size(); ++i) {
    is_named[places[i]] = against == Against::kCompute || is_on_front[i];
  }
  return is_named;
}

Panel cost_panel(const CostGroup& group, Against against) {
  Panel panel;
  panel.width = 460;
  panel.height = 320;
  Figure& figure = panel.figure;
  figure.title = group.label;
  const std::vector<CostPoint> points = points_of(group, against);
  const std::vector<bool> is_named = named_points(points, against);
  std::vector<NamedPoint> drawn;
  ValueExtent x;
  ValueExtent y;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CostPoint& one = points[i];
    MetricRow alone = one.row;  // its interval is not drawn
    alone.low.reset();
    x.add(alone);
    y.add(one.per_unit);
    drawn.push_back(
        {point_of(*one.cost->one, one.per_unit, *one.row.value), is_named[i] ? label_in(group, *one.cost) : ""});
  }
  add_named_points(figure, drawn);
  const CaseCost& first = group.costs.front();
  const std::string unit =
      fmt::format("{} per {}", first.price->currency, unit_text(group.per, is_generate(first.one->record->requested)));
  figure.plot.x = value_axis(words_of(against, points.front().row), points.front().row.unit, x);
  figure.plot.y = value_axis("cost", unit, y);
  for (PlotCurve& curve : figure.plot.curves) cut_bars(curve, figure.plot.y);
  return panel;
}

}  // namespace

Picture cost_picture(const CostReport& report) {
  Picture picture;
  picture.title = "What cases cost and what they give";
  picture.names_lines = true;
  std::vector<PlotCurve> curves;
  std::size_t most = 0;
  std::size_t left_out = 0;
  bool has_open = false;  // an interval without an upper end has no bar
  for (const CostGroup& group : report.groups) {
    const std::vector<Against> panels = panels_of(group);
    most = std::max(most, panels.size());
    for (const Against against : panels) {
      const Panel& panel = picture.panels.emplace_back(cost_panel(group, against));
      const std::vector<CostPoint> points = points_of(group, against);
      left_out += group.costs.size() - points.size();
      has_open = has_open || std::any_of(points.begin(), points.end(),
                                         [](const CostPoint& one) { return one.per_unit.low && !one.per_unit.high; });
      curves.insert(curves.end(), panel.figure.plot.curves.begin(), panel.figure.plot.curves.end());
    }
  }
  if (picture.panels.empty()) {
    throw Error(ErrorKind::kUnsupported, "a plot needs two cases of the same work that have a cost; leave out --plot");
  }
  picture.columns = most;
  const bool has_others = std::any_of(curves.begin(), curves.end(), [](const PlotCurve& curve) {
    return curve.role == PlotRole::kContext && !curve.points.empty();
  });
  for (const CostFact& fact : cost_facts(report)) picture.notes.push_back(fmt::format("{}: {}", fact.name, fact.text));
  picture.notes.push_back(fmt::format(
      "Costs hold for a machine that is busy all the time.{}{}{}",
      has_others ? " Grey: another case is at least as good on both axes by value, or the case cannot be chosen." : "",
      left_out > 0 ? fmt::format(" Not drawn, since they lack a figure: {}.", counted(left_out, "point")) : "",
      marks_note(curves) + (has_open ? " Without a bar: the interval has no upper end, or there is none." : "")));
  return picture;
}

}  // namespace transformeter
