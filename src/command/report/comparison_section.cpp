// Each case against its baseline: the speed-up as a figure, a table, and why pairs are undecided.
#include <fmt/format.h>

#include "analysis/baseline_table.h"
#include "report/chips.h"
#include "report/comparison_columns.h"
#include "report/metric_columns.h"
#include "report/report_sections.h"
#include "report/speed_up_figure.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

struct PairHeading {
  const char* name;
  const char* heading;
};
constexpr PairHeading kPairRows[] = {{"speed_up", "speed-up"},
                                     {"time_saved", "time saved"},
                                     {"memory_saved", "memory saved"},
                                     {"tensor_memory_saved", "tensor memory saved"},
                                     {"anonymous_memory_saved", "anonymous memory saved"}};

Cell candidate_cell(const BaselinePair& pair) {
  Cell cell(pair.candidate->label);
  cell.chips = {answer_chip(pair.speed.answer)};
  cell.why = pair.speed.reason;
  return cell;
}

Cell time_cell(const AnalyzedCase* one) {
  return one == nullptr ? Cell("-") : Cell(case_figure(*one, headline_time(*one)));
}

Cell both_cell(const BaselinePair& pair, const char* metric) {
  if (pair.baseline == nullptr) return "-";
  Cell cell;
  cell.content = CaseFigures{case_figure(*pair.baseline, shown_metric(*pair.baseline, metric)),
                             case_figure(*pair.candidate, shown_metric(*pair.candidate, metric))};
  return cell;
}

std::vector<Cell> pair_cells(const BaselinePair& pair, const std::vector<const char*>& qualities) {
  std::vector<Cell> cells{candidate_cell(pair)};
  for (const PairHeading& row : kPairRows) cells.emplace_back(case_figure(*pair.candidate, find_row(pair, row.name)));
  cells.push_back(time_cell(pair.baseline));
  cells.push_back(time_cell(pair.candidate));
  for (const char* quality : qualities) cells.push_back(both_cell(pair, quality));
  cells.emplace_back(kernels_text(pair));
  return cells;
}

Table pair_table(const AnalyzedRun& run, const BaselineTable& compared) {
  Table table;
  table.caption = fmt::format(
      "Each case compared with the case that has {} and the same other settings. Speed-up is baseline time ÷ candidate "
      "time; saved is 1 − candidate ÷ baseline, as a share. Memory is peak RSS above that at process start. Values "
      "stand with their intervals; arrows point from baseline to candidate.",
      baseline_text(compared.baseline));
  std::vector<const char*> qualities{"accuracy", "word_error_rate", "divergence"};
  std::erase_if(qualities, [&](const char* metric) { return !any_value(run, metric); });
  table.columns.push_back({.heading = "candidate", .is_wide = true});
  for (const PairHeading& row : kPairRows) table.columns.push_back({row.heading, true});
  for (const char* heading : {"baseline time", "candidate time"}) table.columns.push_back({heading, true});
  for (const char* quality : qualities) table.columns.push_back({quality, true});
  table.columns.push_back({"kernels"});
  for (const BaselinePair& pair : compared.pairs) add_row(table, pair_cells(pair, qualities));
  drop_empty_columns(table);
  table.notes = comparison_notes(compared);
  return table;
}

}  // namespace

std::vector<Block> comparison_section(const SectionInput& input) {
  const std::optional<BaselineTable> compared = baseline_table(input.run);
  if (!compared) return {};
  if (compared->pairs.empty()) return {Paragraph{comparison_legend(*compared) + "."}};
  std::vector<Block> blocks;
  if (auto figure = speed_up_figure(input.run, *compared)) blocks.emplace_back(figures_of({std::move(*figure)}));
  blocks.emplace_back(pair_table(input.run, *compared));
  return blocks;
}

}  // namespace transformeter
