// Strings of elements.
#include "report/html_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "report/html_text.h"

namespace transformeter {
namespace {

std::string_view class_of(const HtmlTable::Column& column) {
  return column.is_number ? " class=\"n\"" : column.is_text ? " class=\"wide\"" : "";
}

std::string_view name_of(FigurePart part) {
  return part == FigurePart::kValue ? "value" : part == FigurePart::kLow ? "low" : "high";
}

const std::optional<double>& value_of(const MetricRow& row, FigurePart part) {
  return part == FigurePart::kValue ? row.value : part == FigurePart::kLow ? row.low : row.high;
}

std::string_view chip_class(const AnalyzedCase& one) {
  if (!one.record->status) return "";
  if (!one.is_ok()) return is_answer(*one.record->status) ? " warn" : " bad";
  switch (one.analysis.verdict.level) {
    case VerdictLevel::kValid:
      return " good";
    case VerdictLevel::kDoubtful:
      return " warn";
    case VerdictLevel::kInvalid:
      return " bad";
  }
  return "";
}

}  // namespace

std::string html_table(const HtmlTable& table) {
  if (table.rows.empty()) return "";
  const std::string caption = escape_html(table.caption);
  std::string text = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table><caption><span>{0}</span></caption><thead><tr>",
      caption);
  for (const HtmlTable::Column& column : table.columns) {
    text +=
        fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"n\"" : "", escape_html(column.heading));
  }
  text += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view tag = i == 0 ? "th" : "td";
      text +=
          fmt::format("<{}{}{}>{}</{}>", tag, i == 0 ? " scope=\"row\"" : "", class_of(table.columns[i]), row[i], tag);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

void drop_empty_columns(HtmlTable& table) {
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    const auto is_empty = [i](const std::vector<std::string>& row) {
      return row[i] == "-" || row[i] == "<bdi>-</bdi>";
    };
    if (!std::all_of(table.rows.begin(), table.rows.end(), is_empty)) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + place);
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + place);
  }
}

std::string html_table(const std::string& caption, const std::vector<CaseColumn>& columns) {
  HtmlTable table;
  table.caption = caption;
  for (const CaseColumn& column : columns) table.columns.push_back({column.heading, column.is_number, false});
  for (std::size_t row = 0; !columns.empty() && row < columns.front().cells.size(); ++row) {
    table.rows.emplace_back();
    for (const CaseColumn& column : columns) table.rows.back().push_back(isolated(column.cells[row]));
  }
  return html_table(table);
}

std::string figure_data(const AnalyzedCase& one, const MetricRow* row, FigurePart part) {
  if (row == nullptr) return "-";
  const std::optional<double>& value = value_of(*row, part);
  if (!value || !std::isfinite(*value)) return "-";
  return fmt::format(
      "<data value=\"{}\" data-case=\"{}\" data-metric=\"{}\" data-statistic=\"{}\" data-part=\"{}\">{}</data>", *value,
      escape_html(one.record->id), row->name, row->statistic, name_of(part),
      escape_html(figure_text(*value, row->unit)));
}

std::string figure_text(double value, std::string_view unit) {
  return is_throughput(unit) ? format_number(value) : format_quantity(value, unit);
}

std::string interval_html(const AnalyzedCase& one, const MetricRow& row) {
  std::string low = figure_data(one, &row, FigurePart::kLow);
  if (figure_text(*row.low, row.unit) == figure_text(*row.high, row.unit)) return low;
  return low + " to " + figure_data(one, &row, FigurePart::kHigh);
}

std::string figure_cell(const AnalyzedCase& one, const MetricRow* row) {
  std::string text = figure_data(one, row, FigurePart::kValue);
  if (row == nullptr || !row->value || !row->low || !row->high) return text;
  if (figure_text(*row->low, row->unit) == figure_text(*row->high, row->unit)) return text;
  return text + fmt::format("<span class=\"interval\">{}</span>", interval_html(one, *row));
}

std::string result_chip(const AnalyzedCase& one) {
  const std::string text = one.is_ok() ? fmt::format("ok, {}", transformeter::name_of(one.analysis.verdict.level))
                                       : std::string(status_word(*one.record));
  return fmt::format("<span class=\"chip{}\">{}</span>", chip_class(one), text);
}

}  // namespace transformeter
