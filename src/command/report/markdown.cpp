// One function per section, in the order of the page.
#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/baseline_table.h"
#include "analysis/scenario_parts.h"
#include "report/answers.h"
#include "report/case_columns.h"
#include "report/command_line.h"
#include "report/comparison_columns.h"
#include "report/legend.h"
#include "report/markdown_text.h"
#include "report/run_columns.h"

namespace transformeter {
namespace {

std::string bullet(std::string_view text) {
  return "- " + escape_markdown(text) + "\n";
}

std::string bullets(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list.append(bullet(text));
  return list;
}

std::string title(const AnalyzedRun& run, const std::string& store) {
  const RunRecord& record = *run.run;
  std::string text = fmt::format("# Run {}\n\n", escape_markdown(record.name.empty() ? record.id : record.name));
  text += fmt::format("Run {}, started {}", escape_markdown(record.id), escape_markdown(record.started_at));
  if (!store.empty()) text += fmt::format(", stored in {}", escape_markdown(store));
  return text + ".\n\n";
}

std::string answer_section(const AnalyzedRun& run) {
  std::string text =
      "## Results\n\n" + bullets(answers(run)) + bullets(weights_lines(run)) + bullets(workload_lines(run));
  return text + bullets(unfinished_lines(run)) + "\n";
}

std::string case_section(const AnalyzedRun& run) {
  std::string text = "## Cases\n\n";
  if (run.cases.empty()) return text + "The run has no cases.\n\n";
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) {
    if (parts.size() > 1) text += fmt::format("### Scenario {}\n\n", name_of(part.scenario));
    text += markdown_table(case_columns(part.run)) + "\n";
  }
  return text + bullets(interval_lines(run, kHalfWidths)) + "\n";
}

std::string comparison_section(const AnalyzedRun& run) {
  const std::optional<BaselineTable> table = baseline_table(run);
  if (!table) return "";
  const std::string columns = markdown_table(comparison_columns(run, *table));
  return "## Comparison with the baseline\n\n" + columns + (columns.empty() ? "" : "\n") +
         bullets(comparison_lines(*table)) + "\n";
}

std::string memory_section(const AnalyzedRun& run) {
  const std::vector<CaseColumn> columns = memory_columns(run);
  const std::size_t labels = std::max<std::size_t>(1, run.axes.size());
  if (run.cases.empty() || columns.size() <= labels) return "## Memory\n\nNo case has a memory measurement.\n\n";
  return "## Memory\n\n" + markdown_table(columns) + "\ndocs/metrics.md defines each metric. " +
         "A dash marks a missing value; the JSON output gives the reason.\n\n";
}

std::string finding_table(const AnalyzedRun& run, const std::vector<FindingGroup>& groups) {
  std::vector<std::string> headings{"name", "details", "cases", "meaning"};
  if (have_remedies(groups)) headings.emplace_back("what to do");
  std::vector<CaseColumn> columns(headings.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].heading = headings[i];
  for (const FindingGroup& group : groups) {
    for (const auto& [detail, labels] : finding_rows(group, group.labels.size())) {
      const bool is_all = labels.size() == run.cases.size() && labels.size() > 1;
      const std::string cells[] = {
          group.name, detail,
          is_all ? fmt::format("all {} cases", labels.size()) : fmt::format("{}", fmt::join(labels, "; ")),
          group.meaning, group.remedy};
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].cells.push_back(cells[c]);
    }
  }
  return markdown_table(columns) + "\n";
}

std::string verdict_section(const AnalyzedRun& run) {
  const std::vector<FindingGroup> reasons = reason_groups(run);
  const std::vector<FindingGroup> notes = note_groups(run);
  std::string text = "## Verdicts\n\n";
  text += reasons.empty() ? fmt::format("{}\n\n", no_reason_line(run)) : "Reasons:\n\n" + finding_table(run, reasons);
  if (!notes.empty()) text += "Notes (not problems):\n\n" + finding_table(run, notes);
  return text;
}

std::string environment_section(const AnalyzedRun& run) {
  std::string text = "## Environment\n\n" + escape_markdown(host_line(run)) + ".\n\n";
  const std::vector<CaseColumn> columns = environment_columns(*run.run);
  return columns.empty() ? text : text + markdown_table(columns) + "\n";
}

std::string settings_section(const AnalyzedRun& run) {
  const std::vector<CaseColumn> columns = settings_columns(*run.run);
  if (columns.empty()) return "## Settings\n\nNone were stored.\n\n";
  return "## Settings\n\n" + markdown_table(columns) + "\n";
}

std::string reproduce_section(const AnalyzedRun& run) {
  return "## Reproduce\n\n" + fenced(reproduce_command(*run.run)) + "\n";
}

std::string meaning_section() {
  std::string text = "## What the numbers mean\n\n";
  for (const std::string_view line : meaning_lines()) text.append("- ").append(line).append("\n");
  return text;
}

}  // namespace

std::string run_markdown(const AnalyzedRun& run, const std::string& store) {
  return title(run, store) + answer_section(run) + comparison_section(run) + case_section(run) + memory_section(run) +
         verdict_section(run) + environment_section(run) + settings_section(run) + reproduce_section(run) +
         meaning_section();
}

}  // namespace transformeter
