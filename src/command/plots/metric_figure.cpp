// Numbers are joined by lines, as between them a value is likely; words are not, and their series stand side by side.
#include "plots/metric_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "plots/page_text.h"
#include "report/case_points.h"
#include "report/display_text.h"
#include "report/swept_axis.h"

namespace transformeter {
namespace {

void check_x_scale(const AlongSetting& along, const AxisScales& scales) {
  if (!scales.x.value_or(false)) return;
  if (!along.is_number()) {
    throw Error(ErrorKind::kBadInput, fmt::format("--log x: '{}' of {} is no number; use --log y or --linear",
                                                  along.words.back(), along.setting));
  }
  for (const CaseSeries& series : along.series) {
    const double least = series.points.front().x;
    if (least > 0) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("--log x: {} has the value {:g}, and a logarithmic axis holds only values above 0",
                            along.setting, least));
  }
}

void check_y_scale(const PlotCase& one, const MetricRow& row, const AxisScales& scales) {
  if (!scales.y.value_or(false) || *row.value > 0) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("--log y: {} of case {} is {:g}, and a logarithmic axis holds only values above 0", row.name,
                          one.one->record->id, *row.value));
}

PlotAxis word_axis(const AlongSetting& along) {
  constexpr int kWidestWord = 320;            // pixels
  constexpr std::size_t kColumnsOfAxis = 40;  // of texts that fit below a panel
  PlotAxis axis;
  axis.label = words_of(along.setting);
  axis.from = -0.5;
  axis.to = static_cast<double>(along.words.size()) - 0.5;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < along.words.size(); ++i) {
    axis.tics.push_back({static_cast<double>(i), text_within(along.words[i], kWidestWord, kPanelFont)});
    widest = std::max(widest, display_width(axis.tics.back().text) + 1);
  }
  axis.is_slanted = widest * along.words.size() > kColumnsOfAxis;
  return axis;
}

PlotAxis x_axis(const AlongSetting& along, const AxisScales& scales) {
  if (!along.is_number()) return word_axis(along);
  std::vector<double> values;
  for (const CaseSeries& series : along.series) {
    for (const SeriesPoint& point : series.points) values.push_back(point.x);
  }
  return swept_axis(words_of(along.setting), std::move(values), scales.x);
}

// Beside the others at a word.
double offset_of(const AlongSetting& along, std::size_t place) {
  constexpr double kRoom = 0.6;
  if (along.is_number() || along.series.size() < 2) return 0;
  const auto count = static_cast<double>(along.series.size());
  return kRoom * ((static_cast<double>(place) + 0.5) / count - 0.5);
}

PlotCurve curve_along(const AlongSetting& along, std::size_t place, const MetricChoice& choice,
                      const AxisScales& scales) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  PlotCurve curve;
  curve.role = role_of_series(place);
  curve.is_dashed = is_dashed_series(place);
  curve.has_line = along.is_number();
  if (curve.role == PlotRole::kContext) curve.mark_size = 0.4;
  for (const SeriesPoint& point : along.series[place].points) {
    if (const auto row = chosen_row(*point.one, choice)) {
      check_y_scale(*point.one, *row, scales);
      curve.points.push_back(point_of(*point.one->one, *row, point.x + offset_of(along, place)));
    } else if (!curve.points.empty()) {
      curve.points.push_back({kNaN, kNaN, std::nullopt, std::nullopt, PlotMark::kFilled});  // no line across a gap
    }
  }
  return curve;
}

// Of a comparison the line of no difference is drawn, and 0 is no end of the axis.
PlotAxis y_axis(Plot& plot, const MetricChoice& choice, const ValueExtent& extent, const AxisScales& scales) {
  if (!choice.is_comparison()) return value_axis(choice.words(), choice.unit, extent, scales.y);
  const double equal = choice.name == "speed_up" ? 1 : 0;
  plot.horizontal = {equal};
  PlotAxis axis = make_axis({choice.words(), choice.unit, std::min(equal, extent.low), std::max(equal, extent.high),
                             scales.y.value_or(false), false});
  axis.has_grid = true;
  return axis;
}

std::string missing_note(const PlotCases& cases, const AlongSetting& along, const MetricChoice& choice) {
  const std::size_t missing = cases.cases.size() - value_count(cases, choice);
  std::string note;
  if (missing > 0) {
    note = fmt::format(" {} without {}: {}.", counted(missing, "case"), choice.words(), missing_reasons(cases, choice));
  }
  if (along.without > 0)
    note += fmt::format(" {} without {}.", counted(along.without, "case"), words_of(along.setting));
  return note;
}

std::string described(const AlongSetting& along, const MetricChoice& choice) {
  std::string text;
  for (const CaseSeries& series : along.series) {
    std::vector<std::string> parts;
    for (const SeriesPoint& point : series.points) {
      const auto row = chosen_row(*point.one, choice);
      if (!row) continue;
      const std::string at =
          along.is_number() ? fmt::format("{:.15g}", point.x) : along.words[static_cast<std::size_t>(point.x)];
      parts.push_back(fmt::format("{} at {}", format_quantity(*row->value, row->unit), at));
    }
    if (!parts.empty()) text += fmt::format("{}: {}. ", series.label, fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

Figure metric_figure(const PlotCases& cases, const AlongSetting& along, const MetricChoice& choice,
                     const AxisScales& scales) {
  check_x_scale(along, scales);
  Figure figure;
  figure.id = choice.name;
  figure.title = choice.words();
  figure.description = described(along, choice);
  figure.plot.x = x_axis(along, scales);
  ValueExtent extent;
  // The named ones lie in front.
  for (std::size_t i = along.series.size(); i-- > 0;) {
    PlotCurve curve = curve_along(along, i, choice, scales);
    if (curve.points.empty()) continue;
    figure.plot.curves.push_back(std::move(curve));
    figure.curves.push_back(along.series[i].label);
    for (const SeriesPoint& point : along.series[i].points) {
      if (const auto row = chosen_row(*point.one, choice)) extent.add(*row);
    }
  }
  figure.plot.y = y_axis(figure.plot, choice, extent, scales);
  bool any_cut = false;
  for (PlotCurve& curve : figure.plot.curves) any_cut = cut_bars(curve, figure.plot.y) || any_cut;
  figure.legend = legend_of(along);
  figure.note = fmt::format("{}: {}.{}{}", choice.words(), choice.meaning, any_cut ? kCutBars : "",
                            missing_note(cases, along, choice));
  return figure;
}

}  // namespace transformeter
