// What `compare` says of the run and another one, with a figure.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/comparison_columns.h"
#include "report/report_sections.h"
#include "report/row_axis.h"
#include "report/run_comparison_report.h"

namespace transformeter {
namespace {

// Hollow: undecided.
std::optional<Figure> speed_up_rows(const RunComparison& comparison) {
  constexpr std::size_t kMostRows = 24;
  std::vector<const ComparedPair*> pairs;
  for (const ComparedPair& pair : comparison.pairs) {
    if (pair.speed.speed_up) pairs.push_back(&pair);
  }
  if (pairs.size() < 2) return std::nullopt;
  const std::size_t all = pairs.size();
  pairs.resize(std::min(all, kMostRows));
  Figure figure;
  figure.id = "speed-up-of-runs";
  figure.title = "Speed-up of each case";
  PlotCurve curve;
  curve.has_line = false;
  curve.intervals_in_x = true;
  std::vector<std::string> names;
  double low = 1;
  double high = 1;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Quotient& speed_up = *pairs[i]->speed.speed_up;
    const bool is_decided = pairs[i]->speed.answer != SpeedAnswer::kUndecided;
    curve.points.push_back({speed_up.value, row_height(i, pairs.size()), speed_up.low, speed_up.high,
                            is_decided ? PlotMark::kFilled : PlotMark::kHollow});
    low = std::min(low, speed_up.low);
    high = std::max(high, speed_up.high);
    names.push_back(pairs[i]->cases.label.empty() ? "all" : pairs[i]->cases.label);
    figure.description += fmt::format("{}: {}. ", names.back(), speed_up_text(speed_up));
  }
  figure.plot.x = make_axis({"speed-up", "", low, high, false, false});
  set_rows(figure.plot, names);
  figure.plot.vertical = {1};
  figure.plot.curves.push_back(std::move(curve));
  figure.note = "Right of 1 the case became faster. Bars show intervals. Hollow marks: undecided.";
  if (all > pairs.size()) figure.note += fmt::format(" First {} of {} cases.", pairs.size(), all);
  return figure;
}

}  // namespace

std::vector<Block> other_run_section(const SectionInput& input) {
  if (input.comparison == nullptr) return {};
  Document compared = run_comparison_document(*input.comparison);
  std::vector<Block> blocks = std::move(compared.lead);
  if (auto figure = speed_up_rows(*input.comparison)) blocks.emplace_back(figures_of({std::move(*figure)}));
  for (Section& section : compared.sections) {
    for (Block& block : section.blocks) {
      if (auto* table = std::get_if<Table>(&block)) table->caption = section.title + ".";
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace transformeter
