// Columns as wide as their widest cell; what does not fit is dropped by name or cut visibly.
#include "report/column_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/display_text.h"
#include "report/document_text.h"

namespace transformeter {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowestCut = 12;

struct TextColumn {
  std::string heading;
  bool is_number = false;
  bool may_be_left_out = false;
  std::vector<std::string> cells;
  std::vector<std::string_view> colours;  // escape sequences, one for each cell; may be empty
};

std::string_view colour_of(const Cell& cell) {
  if (cell.chips.empty()) return "";
  switch (cell.chips.front().tone) {
    case Tone::kNeutral:
      return "";
    case Tone::kPending:
      return "\x1b[2m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarn:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
  }
  return "";
}

TextColumn text_column(const Column& column, bool has_colour) {
  TextColumn text{one_line(column.heading), column.is_number, column.may_be_left_out, {}, {}};
  for (const Cell& cell : column.cells) {
    text.cells.push_back(one_line(cell_text(cell)));
    text.colours.push_back(has_colour ? colour_of(cell) : "");
  }
  return text;
}

std::size_t width_of(const TextColumn& column) {
  std::size_t width = display_width(column.heading);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::size_t width_of(const std::vector<TextColumn>& columns) {
  std::size_t width = columns.empty() ? 0 : kGap.size() * (columns.size() - 1);
  for (const TextColumn& column : columns) width += width_of(column);
  return width;
}

// Leaves out what may be left out, last first, then cuts the widest columns; returns the headings left out.
std::vector<std::string> fit(std::vector<TextColumn>& columns, std::size_t width) {
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

std::string padded(const std::string& cell, std::size_t width, bool is_number, std::string_view colour) {
  const std::string blanks(width - display_width(cell), ' ');
  const std::string text = colour.empty() ? cell : fmt::format("{}{}\x1b[0m", colour, cell);
  return is_number ? blanks + text : text + blanks;
}

std::string rows_text(const std::vector<TextColumn>& columns) {
  std::string text;
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns) widths.push_back(width_of(column));
  widths.back() = 0;  // no blanks at the end of a line
  for (std::size_t row = 0; row <= columns.front().cells.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const TextColumn& column = columns[i];
      const std::string& cell = row == 0 ? column.heading : column.cells[row - 1];
      const std::size_t width = std::max(widths[i], display_width(cell));
      text.append(padded(cell, width, column.is_number, row == 0 ? "" : column.colours[row - 1]));
      text.append(i + 1 < columns.size() ? kGap : "\n");
    }
  }
  return text;
}

}  // namespace

ColumnText column_text(const std::vector<Column>& columns, std::optional<std::size_t> width, bool has_colour) {
  ColumnText text;
  if (columns.empty()) return text;
  std::vector<TextColumn> shown;
  for (const Column& column : columns) shown.push_back(text_column(column, has_colour));
  if (width) text.left_out = fit(shown, *width);
  text.text = rows_text(shown);
  return text;
}

}  // namespace transformeter
