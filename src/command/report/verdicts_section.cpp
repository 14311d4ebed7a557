// Each reason and note of a verdict, with its figures and its cases. Cases with the same figures share a row.
#include <fmt/format.h>

#include "report/legend.h"
#include "report/report_sections.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxRowsOfOne = 12;  // of one word of a verdict

Cell details_cell(const FindingRow& row) {
  if (row.details.size() == 1) return row.details.front();
  Cell cell;
  cell.content = Texts{row.details, "values"};
  return cell;
}

Cell cases_cell(const std::vector<std::string>& labels, std::size_t all) {
  if (labels.size() == all && all > 1) return fmt::format("all {} cases", all);
  Cell cell;
  cell.content = Texts{labels, "cases"};
  return cell;
}

Table finding_table(const AnalyzedRun& run, const std::vector<FindingGroup>& groups, const char* caption) {
  Table table;
  table.caption = caption;
  table.columns = {{"name"},
                   {.heading = "details", .is_wide = true},
                   {.heading = "cases", .is_wide = true},
                   {.heading = "meaning", .is_wide = true},
                   {.heading = "what to do", .is_wide = true}};
  for (const FindingGroup& group : groups) {
    for (const FindingRow& row : finding_rows(group, kMaxRowsOfOne)) {
      add_row(table,
              {group.name, details_cell(row), cases_cell(row.labels, run.cases.size()), group.meaning, group.remedy});
    }
  }
  drop_empty_columns(table);
  return table;
}

}  // namespace

std::vector<Block> verdicts_section(const SectionInput& input) {
  const std::vector<FindingGroup> reasons = reason_groups(input.run);
  const std::vector<FindingGroup> notes = note_groups(input.run);
  std::vector<Block> blocks;
  if (reasons.empty()) {
    blocks.emplace_back(Paragraph{std::string(no_reason_line(input.run))});
  } else {
    blocks.emplace_back(finding_table(input.run, reasons, "Reasons"));
  }
  if (!notes.empty()) blocks.emplace_back(finding_table(input.run, notes, "Notes (not problems)"));
  return blocks;
}

}  // namespace transformeter
