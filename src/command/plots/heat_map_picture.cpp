// Columns have units of their own, so each is shaded by its own range.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "plots/case_rows.h"
#include "plots/metric_choice.h"
#include "plots/pictures.h"
#include "report/plot_colours.h"

namespace transformeter {
namespace {

constexpr std::array kHeatColumns{"latency",
                                  "cycle_time",
                                  "time_to_first_token",
                                  "time_per_output_token",
                                  "throughput_samples",
                                  "throughput_audio_seconds",
                                  "throughput_useful_tokens",
                                  "throughput_decode_tokens",
                                  "peak_rss_above_baseline",
                                  "peak_allocated",
                                  "cold_start",
                                  "energy",
                                  "mfu",
                                  "loss",
                                  "accuracy",
                                  "divergence",
                                  "speed_up"};

bool names_unit(const MetricChoice& choice) {
  return choice.unit != "s" && choice.unit != "bytes" && choice.unit != "ratio" && choice.unit != "count";
}

std::string cell_text(const MetricRow& row, const MetricChoice& choice) {
  return names_unit(choice) ? format_number(*row.value) : format_quantity(*row.value, row.unit);
}

void add_column(Plot& plot, const std::vector<const PlotCase*>& rows, const MetricChoice& choice, double column) {
  std::vector<double> values;
  for (const PlotCase* one : rows) {
    if (const auto row = chosen_row(*one, choice)) values.push_back(*row->value);
  }
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = chosen_row(*rows[i], choice);
    if (!row) continue;
    const double shade = *greatest > *least ? (*row->value - *least) / (*greatest - *least) : 0.5;
    const double y = row_place(i, rows.size());
    plot.boxes.push_back({column - 0.48, column + 0.48, y - 0.46, y + 0.46, PlotRole::kSeries1, shade});
    plot.texts.push_back({column, y, cell_text(*row, choice), shade >= kDarkShade});
  }
}

std::string described(const PlotCases& cases, const std::vector<const PlotCase*>& rows,
                      const std::vector<MetricChoice>& choices) {
  std::string text;
  for (const PlotCase* one : rows) {
    std::vector<std::string> parts;
    for (const MetricChoice& choice : choices) {
      const auto row = chosen_row(*one, choice);
      if (row) parts.push_back(fmt::format("{} {}", choice.words(), format_quantity(*row->value, row->unit)));
    }
    text += fmt::format("{}: {}. ", case_name(cases, *one), fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

PictureAnswer heat_map_picture(const PlotCases& cases) {
  constexpr int kCellWidth = 92;
  constexpr int kCellHeight = 26;
  Picture picture;
  picture.title = "Metrics of each case";
  std::vector<MetricChoice> choices;
  for (const char* name : kHeatColumns) {
    MetricChoice choice = metric_choice(name);
    if (value_count(cases, choice) > 1) choices.push_back(std::move(choice));
  }
  std::vector<const PlotCase*> rows;
  for (const PlotCase& one : cases.cases) rows.push_back(&one);
  if (rows.size() < 2 || choices.empty()) return {};
  picture.notes.emplace_back("Dark: the greatest of its column; light: the least. Empty: no value.");
  limit_cases(rows, kMostRows, picture);
  add_doubt_note(rows, picture);
  Panel& panel = picture.panels.emplace_back();
  Plot& plot = panel.figure.plot;
  plot.y = row_axis(cases, rows);
  plot.x.from = -0.5;
  plot.x.to = static_cast<double>(choices.size()) - 0.5;
  plot.x.is_slanted = true;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string unit = names_unit(choices[i]) ? fmt::format(" ({})", choices[i].unit) : "";
    plot.x.tics.push_back({static_cast<double>(i), choices[i].words() + unit});
    add_column(plot, rows, choices[i], static_cast<double>(i));
  }
  panel.figure.description = described(cases, rows, choices);
  panel.width = kCellWidth * static_cast<int>(choices.size());
  panel.height = kCellHeight * static_cast<int>(rows.size());
  return {std::move(picture), ""};
}

}  // namespace transformeter
