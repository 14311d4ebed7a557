// Widths are counted in characters of pandoc's type in tables.
#include "report/slide_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "report/display_text.h"
#include "report/document_text.h"

namespace transformeter {
namespace {

constexpr std::size_t kTableWidth = 76;
constexpr std::size_t kTableLines = 9;     // lines, the headings' included
constexpr std::size_t kCellPadding = 3;    // added to the width of each column
constexpr std::size_t kWidestColumn = 26;  // longer texts are broken into lines
constexpr std::size_t kLongestCell = 100;  // longer texts are cut

std::string short_text(Cell cell) {
  cell.why.clear();
  if (auto* figures = std::get_if<CaseFigures>(&cell.content)) {
    for (CaseFigure& figure : *figures) {
      if (figure.part == FigurePart::kAll) figure.part = FigurePart::kValue;
    }
  }
  return cut_to_columns(one_line(cell_text(cell)), kLongestCell);
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) longest = std::max(longest, display_width(word));
  return longest;
}

std::size_t width_of(const std::string& heading, const std::vector<std::string>& cells) {
  std::size_t width = longest_word(heading);
  for (const std::string& cell : cells) width = std::max(width, std::min(display_width(cell), kWidestColumn));
  return width + kCellPadding;
}

std::size_t lines_in(const std::string& text, std::size_t width) {
  return 1 + (display_width(text) + kCellPadding) / (width + 1);
}

// A column as texts, of which a slide shows the first ones.
struct TextColumn {
  const Column* column = nullptr;
  std::vector<std::string> cells;
  std::size_t width = 0;
};

std::size_t width_of(const std::vector<TextColumn>& columns) {
  std::size_t width = 0;
  for (const TextColumn& one : columns) width += one.width;
  return width;
}

// Without those that may be left out, the last ones first; then without what does not fit all the same.
std::vector<TextColumn> fitting_columns(const Table& table) {
  std::vector<TextColumn> columns;
  for (const Column& column : table.columns) {
    TextColumn& one = columns.emplace_back();
    one.column = &column;
    for (std::size_t row = 0; row < std::min(column.cells.size(), kTableLines); ++row) {
      one.cells.push_back(short_text(column.cells[row]));
    }
    one.width = width_of(column.heading, one.cells);
  }
  while (width_of(columns) > kTableWidth) {
    const auto last = std::find_if(columns.rbegin(), columns.rend(),
                                   [](const TextColumn& one) { return one.column->may_be_left_out; });
    if (last == columns.rend()) break;
    columns.erase(std::next(last).base());
  }
  while (columns.size() > 1 && width_of(columns) > kTableWidth) columns.pop_back();
  return columns;
}

std::size_t fitting_rows(const std::vector<TextColumn>& columns) {
  std::size_t used = 0;
  for (const TextColumn& one : columns) used = std::max(used, lines_in(one.column->heading, one.width));
  std::size_t rows = 0;
  while (rows < columns.front().cells.size()) {
    std::size_t lines = 1;
    for (const TextColumn& one : columns) lines = std::max(lines, lines_in(one.cells[rows], one.width));
    if (rows > 0 && used + lines > kTableLines) break;
    used += lines;
    ++rows;
  }
  return rows;
}

std::string note_of(const Table& table, const SlideTable& shown) {
  const std::size_t rows = table.row_count() - shown.rows.size();
  const std::size_t columns = table.columns.size() - shown.headings.size();
  if (rows + columns == 0) return "";
  std::string what = rows > 0 ? counted(rows, "more row") : "";
  if (columns > 0) what += (what.empty() ? "" : " and ") + counted(columns, "more column");
  return what + " in the HTML and PDF reports.";
}

}  // namespace

SlideTable slide_table(const Table& table) {
  SlideTable shown;
  if (table.row_count() == 0) return shown;
  const std::vector<TextColumn> columns = fitting_columns(table);
  const std::size_t rows = fitting_rows(columns);
  const auto all = static_cast<double>(width_of(columns));
  for (const TextColumn& one : columns) {
    shown.headings.push_back(one.column->heading);
    shown.are_numbers.push_back(one.column->is_number);
    shown.shares.push_back(static_cast<double>(one.width) / all);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string>& cells = shown.rows.emplace_back();
    for (const TextColumn& one : columns) cells.push_back(one.cells[row]);
  }
  shown.note = note_of(table, shown);
  return shown;
}

}  // namespace transformeter
