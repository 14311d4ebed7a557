// What is empty, and short ways to make blocks.
#include "report/document.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

bool is_empty_figure(const CaseFigure& figure) {
  return !figure.row || !figure.row->value || !std::isfinite(*figure.row->value);
}

bool is_empty_cell(const Cell& cell) {
  if (!cell.chips.empty() || !cell.why.empty()) return false;
  if (const auto* text = std::get_if<std::string>(&cell.content)) return text->empty() || *text == "-";
  if (const auto* figures = std::get_if<CaseFigures>(&cell.content)) {
    return std::all_of(figures->begin(), figures->end(), is_empty_figure);
  }
  return std::get<Texts>(cell.content).texts.empty();
}

}  // namespace

CaseFigure case_figure(const AnalyzedCase& one, const MetricRow* row, FigurePart part) {
  return {one.record->id, row == nullptr ? std::nullopt : std::optional(*row), part};
}

void add_row(Table& table, std::vector<Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) table.columns.at(i).cells.push_back(std::move(cells[i]));
}

std::vector<std::string> drop_empty_columns(Table& table) {
  std::vector<std::string> dropped;
  if (table.columns.empty()) return dropped;
  const auto is_empty = [](const Column& column) {
    return std::all_of(column.cells.begin(), column.cells.end(), is_empty_cell);
  };
  for (auto column = table.columns.begin() + 1; column != table.columns.end(); ++column) {
    if (is_empty(*column)) dropped.push_back(column->heading);
  }
  table.columns.erase(std::remove_if(table.columns.begin() + 1, table.columns.end(), is_empty), table.columns.end());
  return dropped;
}

List list_of(const std::vector<std::string>& lines, std::string folded) {
  List list;
  for (const std::string& line : lines) list.items.push_back({line});
  list.folded = std::move(folded);
  return list;
}

Figures figures_of(std::vector<Figure> figures) {
  Figures drawn;
  for (Figure& figure : figures) drawn.figures.push_back({std::move(figure)});
  return drawn;
}

}  // namespace transformeter
