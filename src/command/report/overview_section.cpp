// Runs side by side. It compares nothing, since their workloads may differ.
#include "report/answers.h"
#include "report/chips.h"
#include "report/legend.h"
#include "report/report_sections.h"
#include "report/run_document.h"

namespace transformeter {
namespace {

Cell run_cell(const AnalyzedRun& run, std::size_t index) {
  Cell cell(run_title(run));
  cell.link = part_id(index);
  return cell;
}

Cell counts_cell(const AnalyzedRun& run) {
  Cell cell(run.cases.empty() ? "none" : "");
  cell.chips = result_counts(run);
  return cell;
}

Cell best_cell(const AnalyzedRun& run, const char* metric, bool highest) {
  const BestCase best = best_case(run, metric, highest);
  if (best.one == nullptr) return "-";
  Cell cell(case_figure(*best.one, best.row));
  cell.why = best.one->label;
  cell.run = run.run->id;
  return cell;
}

}  // namespace

std::vector<Block> overview_section(const SectionInput& input) {
  if (input.runs.size() == 1) return {};
  Table table;
  table.caption = "All runs in this report. Workloads may differ, so do not compare these values across runs.";
  table.columns = {{"run"},
                   {"started"},
                   {.heading = "host", .is_wide = true},
                   {.heading = "cases", .is_wide = true},
                   {.heading = "lowest median latency", .is_number = true},
                   {.heading = "highest sample/s", .is_number = true}};
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const AnalyzedRun& run = input.runs[i];
    add_row(table, {run_cell(run, i), run.run->started_at, host_line(run), counts_cell(run),
                    best_cell(run, "latency", false), best_cell(run, "throughput_samples", true)});
  }
  return {table};
}

}  // namespace transformeter
