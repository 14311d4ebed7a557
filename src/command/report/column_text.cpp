// Columns as wide as their widest cell; what does not fit is dropped by name or cut visibly.
#include "report/column_text.h"

#include <algorithm>
#include <iterator>

#include "report/display_text.h"

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

std::string padded(const std::string& cell, std::size_t width, bool is_number) {
  const std::string blanks(width - display_width(cell), ' ');
  return is_number ? blanks + cell : cell + blanks;
}

std::string rows_text(const std::vector<CaseColumn>& columns, const std::vector<std::string_view>& colours) {
  std::string text;
  std::vector<std::size_t> widths;
  for (const CaseColumn& column : columns) widths.push_back(width_of(column));
  for (std::size_t row = 0; row <= columns.front().cells.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CaseColumn& column = columns[i];
      const std::string& cell = row == 0 ? column.heading : column.cells[row - 1];
      const std::string_view colour = row == 0 || colours.empty() ? "" : colours[row - 1];
      if (i + 1 < columns.size()) {
        text.append(padded(cell, widths[i], column.is_number)).append(kGap);
      } else if (!colour.empty()) {
        text.append(colour).append(cell).append("\x1b[0m");
      } else {
        text.append(cell);
      }
    }
    text.push_back('\n');
  }
  return text;
}

}  // namespace

ColumnText column_text(std::vector<CaseColumn> columns, std::optional<std::size_t> width,
                       const std::vector<std::string_view>& colours) {
  ColumnText text;
  if (columns.empty()) return text;
  if (width) text.left_out = fit(columns, *width);
  text.text = rows_text(columns, colours);
  return text;
}

}  // namespace transformeter
