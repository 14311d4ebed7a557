// Medians of the parts, which need not add up to the median of the step.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/units.h"
#include "plots/case_rows.h"
#include "plots/metric_choice.h"
#include "plots/pictures.h"
#include "report/plot_colours.h"

namespace transformeter {
namespace {

struct StepPart {
  const char* metric;
  const char* words;
};
constexpr std::array kParts{StepPart{"data_wait", "data and copy"}, StepPart{"forward_time", "forward"},
                            StepPart{"backward_time", "backward"}, StepPart{"optimizer_time", "optimizer"},
                            StepPart{"other_time", "rest"}};

bool lacks_a_part(const PlotCase* one) {
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](const StepPart& part) { return !chosen_row(*one, metric_choice(part.metric)); });
}

// Where its bar ends; 0 where the case has no parts.
double add_bar(Figure& figure, const PlotCase& one, double y) {
  double at = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const auto row = chosen_row(one, metric_choice(kParts[i].metric));
    if (!row || !(*row->value > 0)) continue;
    figure.plot.boxes.push_back({at, at + *row->value, y - 0.38, y + 0.38, series_role(i), std::nullopt});
    at += *row->value;
    figure.description += fmt::format("{} {}, ", kParts[i].words, format_duration(*row->value));
  }
  return at;
}

}  // namespace

PictureAnswer time_breakdown_picture(const PlotCases& cases) {
  constexpr int kBarHeight = 24;
  Picture picture;
  picture.title = "Where the time of a training step goes";
  std::vector<const PlotCase*> rows;
  for (const PlotCase& one : cases.cases) {
    if (chosen_row(one, metric_choice("forward_time"))) rows.push_back(&one);
  }
  if (rows.empty()) return {};
  picture.notes.emplace_back("Medians over the steps; data and copy: waiting, collating, copying to the device.");
  limit_cases(rows, kMostRows, picture);
  add_doubt_note(rows, picture);
  if (const auto short_bars = std::count_if(rows.begin(), rows.end(), lacks_a_part); short_bars > 0) {
    picture.notes.push_back(
        fmt::format("{}: a part was not measured, so that the bar is too short.", counted(short_bars, "case")));
  }
  Panel& panel = picture.panels.emplace_back();
  panel.figure.plot.y = row_axis(cases, rows);
  double longest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    panel.figure.description += case_name(cases, *rows[i]) + ": ";
    longest = std::max(longest, add_bar(panel.figure, *rows[i], row_place(i, rows.size())));
  }
  panel.figure.plot.x = make_axis({"time of a step", "s", 0, longest, false, true});
  panel.width = 520;
  panel.height = kBarHeight * static_cast<int>(rows.size());
  picture.has_areas = true;
  for (std::size_t i = 0; i < kParts.size(); ++i) picture.legend.push_back({series_role(i), false, kParts[i].words});
  return {std::move(picture), ""};
}

}  // namespace transformeter
