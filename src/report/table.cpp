// Columns as wide as their widest cell; what does not fit is dropped by name or cut visibly.
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/scenario_parts.h"
#include "report/case_columns.h"
#include "report/display_text.h"
#include "report/legend.h"

namespace transformeter {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowestCut = 12;

std::size_t width_of(const CaseColumn& column) {
  std::size_t width = display_width(column.heading);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::size_t width_of(const std::vector<CaseColumn>& columns) {
  std::size_t width = columns.empty() ? 0 : kGap.size() * (columns.size() - 1);
  for (const CaseColumn& column : columns) width += width_of(column);
  return width;
}

// Leaves out what may be left out, last first, then cuts the widest columns; returns the headings left out.
std::vector<std::string> fit(std::vector<CaseColumn>& columns, std::size_t width) {
  std::vector<std::string> left_out;
  while (width_of(columns) > width) {
    const auto last = std::find_if(columns.rbegin(), columns.rend(), [](const auto& c) { return c.may_be_left_out; });
    if (last == columns.rend()) break;
    left_out.push_back(last->heading);
    columns.erase(std::next(last).base());
  }
  while (width_of(columns) > width) {
    const auto widest = std::max_element(columns.begin(), columns.end(),
                                         [](const auto& a, const auto& b) { return width_of(a) < width_of(b); });
    const std::size_t excess = width_of(columns) - width;
    const std::size_t now = width_of(*widest);
    if (now <= kNarrowestCut) break;
    const std::size_t target = std::max(kNarrowestCut, now > excess ? now - excess : kNarrowestCut);
    widest->heading = cut_to_columns(widest->heading, target);
    for (std::string& cell : widest->cells) cell = cut_to_columns(cell, target);
  }
  return left_out;
}

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

std::string padded(const std::string& cell, std::size_t width, bool is_number) {
  const std::string blanks(width - display_width(cell), ' ');
  return is_number ? blanks + cell : cell + blanks;
}

// The last column is the result: it takes the colour and no padding.
std::string table_text(const AnalyzedRun& run, const std::vector<CaseColumn>& columns, bool has_colour) {
  std::string text;
  std::vector<std::size_t> widths;
  for (const CaseColumn& column : columns) widths.push_back(width_of(column));
  for (std::size_t row = 0; row <= run.cases.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CaseColumn& column = columns[i];
      const std::string& cell = row == 0 ? column.heading : column.cells[row - 1];
      if (i + 1 < columns.size()) {
        text.append(padded(cell, widths[i], column.is_number)).append(kGap);
      } else if (has_colour && row > 0) {
        text.append(colour_of(run.cases[row - 1])).append(cell).append("\x1b[0m");
      } else {
        text.append(cell);
      }
    }
    text.push_back('\n');
  }
  return text;
}

std::string joined_labels(const FindingGroup& group, std::size_t case_count) {
  if (group.labels.size() == case_count && case_count > 1) return "all cases";
  constexpr std::size_t kShown = 3;
  if (group.labels.size() > kShown) return fmt::format("{} cases", group.labels.size());
  return fmt::format("{}", fmt::join(group.labels, "; "));
}

void append_findings(std::vector<std::string>& lines, const char* kind, const std::vector<FindingGroup>& groups,
                     std::size_t case_count) {
  for (const FindingGroup& group : groups) {
    std::string line = fmt::format("{} {} ({}): {}", kind, group.name, joined_labels(group, case_count), group.meaning);
    // The figures too, where they are the same for all these cases: they would not fit otherwise.
    const bool is_one = std::all_of(group.details.begin(), group.details.end(),
                                    [&](const std::string& detail) { return detail == group.details.front(); });
    if (is_one && !group.details.empty() && !group.details.front().empty()) line += ": " + group.details.front();
    lines.push_back(std::move(line));
  }
}

// A table for each scenario; columns that any of them lacks for want of width go to `left_out`, each once.
std::string case_tables(const AnalyzedRun& run, const TableOptions& options, std::vector<std::string>& left_out) {
  std::string text;
  const std::vector<ScenarioPart> parts = by_scenario(run);
  for (const ScenarioPart& part : parts) {
    std::vector<CaseColumn> columns = case_columns(part.run);
    for (std::string& heading : fit(columns, options.width)) {
      const bool is_new = std::find(left_out.begin(), left_out.end(), heading) == left_out.end();
      if (is_new) left_out.push_back(std::move(heading));
    }
    if (parts.size() > 1) text += fmt::format("scenario {}\n", part.scenario);
    text += table_text(part.run, columns, options.has_colour) + "\n";
  }
  return text;
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
    std::vector<std::string> left_out;
    text = case_tables(run, options, left_out);
    if (!left_out.empty()) {
      lines.push_back(fmt::format("left out for want of width: {}; see --format markdown", fmt::join(left_out, ", ")));
    }
    for (std::string& line : unfinished_lines(run)) lines.push_back(std::move(line));
    append_findings(lines, "reason", reason_groups(run), run.cases.size());
    for (std::string& line : weights_lines(run)) lines.push_back(std::move(line));
    for (std::string& line : data_lines(run)) lines.push_back(std::move(line));
    for (std::string& line : interval_lines(run, kHalfWidths)) lines.push_back(std::move(line));
    append_findings(lines, "note", note_groups(run), run.cases.size());
  }
  lines.push_back("host: " + host_line(run));
  lines.push_back(closing_line(run, options.store));
  for (const std::string& line : lines) text.append(one_line(line)).append("\n");
  return text;
}

}  // namespace transformeter
