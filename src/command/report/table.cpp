// The cases, what they make of their baseline, then the lines that belong under both.
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/baseline_table.h"
#include "analysis/scenario_parts.h"
#include "report/case_columns.h"
#include "report/column_text.h"
#include "report/comparison_columns.h"
#include "report/display_text.h"
#include "report/legend.h"
#include "report/reason_lines.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

std::string_view colour_of(const AnalyzedCase& one) {
  if (!one.record->status) return "\x1b[2m";
  if (!one.is_ok()) return is_answer(*one.record->status) ? "\x1b[33m" : "\x1b[31m";
  switch (one.analysis.verdict.level) {
    case VerdictLevel::kValid:
      return "\x1b[32m";
    case VerdictLevel::kDoubtful:
      return "\x1b[33m";
    case VerdictLevel::kInvalid:
      return "\x1b[31m";
  }
  return "";
}

std::string_view colour_of(SpeedAnswer answer) {
  switch (answer) {
    case SpeedAnswer::kFaster:
      return "\x1b[32m";
    case SpeedAnswer::kSlower:
      return "\x1b[31m";
    case SpeedAnswer::kSame:
      return "";
    case SpeedAnswer::kUndecided:
      return "\x1b[33m";
  }
  return "";
}

void append_notes(std::vector<std::string>& lines, const AnalyzedRun& run) {
  for (const FindingGroup& group : note_groups(run)) {
    std::string line = fmt::format("note {} ({}): {}", group.name, cases_text(run, group.cases), group.meaning);
    // The figures too, where they are the same for all these cases: they would not fit otherwise.
    const bool is_one = std::all_of(group.details.begin(), group.details.end(),
                                    [&](const std::string& detail) { return detail == group.details.front(); });
    if (is_one && !group.details.empty() && !group.details.front().empty()) line += ": " + group.details.front();
    lines.push_back(std::move(line));
  }
}

void append_hidden(std::vector<std::string>& lines, const char* what, const std::vector<std::string>& headings) {
  if (headings.empty()) return;
  lines.push_back(fmt::format("{} (terminal too narrow): {}; see --format markdown", what, fmt::join(headings, ", ")));
}

// A table for each scenario; columns hidden in any of them are named once.
std::string case_tables(const AnalyzedRun& run, const TableOptions& options, std::vector<std::string>& lines) {
  std::string text;
  std::vector<std::string> hidden;
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) {
    std::vector<std::string_view> colours;
    if (options.has_colour) {
      for (const AnalyzedCase& one : part.run.cases) colours.push_back(colour_of(one));
    }
    ColumnText table = column_text(case_columns(part.run), options.width, colours);
    for (std::string& heading : table.left_out) {
      const bool is_new = std::find(hidden.begin(), hidden.end(), heading) == hidden.end();
      if (is_new) hidden.push_back(std::move(heading));
    }
    if (parts.size() > 1) text += fmt::format("scenario {}\n", name_of(part.scenario));
    text += table.text + "\n";
  }
  append_hidden(lines, "hidden", hidden);
  return text;
}

// The table of the baseline, under a line that names it; empty for a run without one.
std::string comparison_text(const AnalyzedRun& run, const TableOptions& options, std::vector<std::string>& lines) {
  const std::optional<BaselineTable> compared = baseline_table(run);
  if (!compared) return "";
  std::vector<std::string_view> colours;
  if (options.has_colour) {
    for (const BaselinePair& pair : compared->pairs) colours.push_back(colour_of(pair.answer));
  }
  ColumnText table = column_text(comparison_columns(run, *compared), options.width, colours);
  append_hidden(lines, "hidden from the comparison", table.left_out);
  for (std::string& line : comparison_lines(*compared)) lines.push_back(std::move(line));
  if (table.text.empty()) return "";
  return fmt::format("compared with {}:\n{}\n", one_line(baseline_text(compared->baseline)), table.text);
}

std::string closing_line(const AnalyzedRun& run, const std::string& store) {
  const std::string name = run.run->name.empty() ? "" : fmt::format(" \"{}\"", run.run->name);
  return fmt::format("run {}{}{}{}", run.run->id, name, store.empty() ? "" : " in ", store);
}

}  // namespace

std::string run_table(const AnalyzedRun& run, const TableOptions& options) {
  std::vector<std::string> lines;
  std::string text;
  if (run.cases.empty()) {
    text = "the run has no cases\n";
  } else {
    text = case_tables(run, options, lines) + comparison_text(run, options, lines);
    for (std::string& line : reason_lines(run)) lines.push_back(std::move(line));
    for (std::string& line : remedy_lines(run)) lines.push_back(std::move(line));
    if (std::string pending = pending_text(run); !pending.empty()) lines.push_back(std::move(pending));
    for (std::string& line : weights_lines(run)) lines.push_back(std::move(line));
    for (std::string& line : workload_lines(run)) lines.push_back(std::move(line));
    for (std::string& line : interval_lines(run, kHalfWidths)) lines.push_back(std::move(line));
    append_notes(lines, run);
  }
  lines.push_back("host: " + host_line(run));
  lines.push_back(closing_line(run, options.store));
  for (const std::string& line : lines) {
    text.append(options.width ? wrapped(line, *options.width, 2) : one_line(line)).append("\n");
  }
  return text;
}

}  // namespace transformeter
