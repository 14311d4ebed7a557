// Widths are counted in characters of pandoc's type in tables.
#include "report/slide_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

// Columns as texts, of which a slide shows the first `rows` cells.
struct Columns {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
};

Columns fitting_columns(const Table& table) {
  Columns columns;
  std::size_t used = 0;
  for (const Column& column : table.columns) {
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < std::min(column.cells.size(), kTableLines); ++row) {
      cells.push_back(short_text(column.cells[row]));
    }
    const std::size_t width = width_of(column.heading, cells);
    if (!columns.cells.empty() && used + width > kTableWidth) break;
    used += width;
    columns.widths.push_back(width);
    columns.cells.push_back(std::move(cells));
  }
  return columns;
}

std::size_t fitting_rows(const Table& table, const Columns& columns) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < columns.widths.size(); ++i) {
    used = std::max(used, lines_in(table.columns[i].heading, columns.widths[i]));
  }
  std::size_t rows = 0;
  while (rows < columns.cells.front().size()) {
    std::size_t lines = 1;
    for (std::size_t i = 0; i < columns.widths.size(); ++i) {
      lines = std::max(lines, lines_in(columns.cells[i][rows], columns.widths[i]));
    }
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
  const Columns columns = fitting_columns(table);
  const std::size_t rows = fitting_rows(table, columns);
  const auto all = static_cast<double>(std::accumulate(columns.widths.begin(), columns.widths.end(), std::size_t{0}));
  for (std::size_t i = 0; i < columns.widths.size(); ++i) {
    shown.headings.push_back(table.columns[i].heading);
    shown.are_numbers.push_back(table.columns[i].is_number);
    shown.shares.push_back(static_cast<double>(columns.widths[i]) / all);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string>& cells = shown.rows.emplace_back();
    for (const std::vector<std::string>& column : columns.cells) cells.push_back(column[row]);
  }
  shown.note = note_of(table, shown);
  return shown;
}

}  // namespace transformeter
