// The cases, what they make of their baseline, then the lines that belong under both.
#include "report/terminal_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/baseline_table.h"
#include "analysis/scenario_parts.h"
#include "report/case_columns.h"
#include "report/command_line.h"
#include "report/comparison_columns.h"
#include "report/engine_choice_text.h"
#include "report/legend.h"
#include "report/reason_lines.h"
#include "schema/baseline.h"
#include "schema/missing_replicates.h"

namespace transformeter {
namespace {

std::vector<std::string> note_lines(const AnalyzedRun& run) {
  std::vector<std::string> lines;
  for (const FindingGroup& group : note_groups(run)) {
    std::string line = fmt::format("note {} ({}): {}", group.name, cases_text(run, group.cases), group.meaning);
    // The figures too, where they are the same for all these cases: they would not fit otherwise.
    const bool is_one = std::all_of(group.details.begin(), group.details.end(),
                                    [&](const std::string& detail) { return detail == group.details.front(); });
    if (is_one && !group.details.empty() && !group.details.front().empty()) line += ": " + group.details.front();
    lines.push_back(std::move(line));
  }
  return lines;
}

// Names the dropped columns, so that nobody looks for them.
void drop_and_name_empty_columns(Table& table) {
  const std::vector<std::string> dropped = drop_empty_columns(table);
  if (dropped.empty()) return;
  table.notes.push_back(fmt::format("hidden (no values): {}", fmt::join(dropped, ", ")));
}

void add_case_tables(std::vector<Block>& blocks, const AnalyzedRun& run) {
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) {
    Table table;
    if (parts.size() > 1) table.caption = fmt::format("scenario {}", name_of(part.scenario));
    table.columns = case_columns(part.run);
    drop_and_name_empty_columns(table);
    blocks.emplace_back(std::move(table));
  }
}

void add_comparison(std::vector<Block>& blocks, const AnalyzedRun& run, const BaselineTable& compared) {
  if (compared.pairs.empty()) return;
  Table table;
  table.caption = fmt::format("compared with {}:", baseline_text(compared.baseline));
  table.name = "the comparison";
  table.columns = comparison_columns(run, compared);
  drop_and_name_empty_columns(table);
  blocks.emplace_back(std::move(table));
}

// What is missing, and the command that measures it.
std::vector<std::string> pending_lines(const RunRecord& run, const std::string& store) {
  std::string line = pending_text(pending_replicates(run));
  if (line.empty()) return {};
  if (is_resumable(run) && !store.empty()) line += "; finish with: " + resume_command(run.id, store);
  return {std::move(line)};
}

std::vector<std::string> lines_below(const AnalyzedRun& run, const std::optional<BaselineTable>& compared,
                                     const std::string& store, PendingLine pending) {
  std::vector<std::string> lines;
  const auto add = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  if (compared) {
    add({comparison_legend(*compared)});
    add(comparison_notes(*compared));
  }
  add(reason_lines(run));
  add(remedy_lines(run));
  if (pending == PendingLine::kShown) add(pending_lines(*run.run, store));
  add(weights_lines(run));
  add(workload_lines(run));
  if (const std::string line = products_line(run); !line.empty()) add({line});
  if (const std::string line = attention_line(run); !line.empty()) add({line});
  add(engine_choice_lines(run));
  add(interval_lines(run, kHalfWidths));
  add(note_lines(run));
  return lines;
}

std::string closing_line(const AnalyzedRun& run, const std::string& store) {
  const std::string name = run.run->name.empty() ? "" : fmt::format(" \"{}\"", run.run->name);
  const std::string role = run.run->role == RunRole::kTrial ? ": trials by which engine auto chose, no results" : "";
  return fmt::format("run {}{}{}{}{}", run.run->id, name, store.empty() ? "" : " in ", store, role);
}

}  // namespace

Document terminal_document(const AnalyzedRun& run, const std::string& store, PendingLine pending) {
  std::vector<Block> blocks;
  std::vector<std::string> lines;
  if (run.cases.empty()) {
    lines.emplace_back("the run has no cases");
  } else {
    const std::optional<BaselineTable> compared = baseline_table(run);
    add_case_tables(blocks, run);
    if (compared) add_comparison(blocks, run, *compared);
    lines = lines_below(run, compared, store, pending);
  }
  lines.push_back("host: " + host_line(run));
  lines.push_back(closing_line(run, store));
  blocks.emplace_back(list_of(lines));
  Document document;
  document.lead = std::move(blocks);
  return document;
}

}  // namespace transformeter
