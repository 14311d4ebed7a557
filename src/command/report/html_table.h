// Tables of the HTML report, and figures in them that a program can read back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/case_columns.h"

namespace transformeter {

/// Cells are HTML, captions and headings plain text. The first cell of a row is its heading.
struct HtmlTable {
  struct Column {
    std::string heading;
    bool is_number = false;
    bool is_text = false;  // long: given a width of its own
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Drops each column but the first whose cells are all a dash.
void drop_empty_columns(HtmlTable& table);

/// In a container that scrolls by itself, so that a page on a phone does not; empty without rows.
std::string html_table(const HtmlTable& table);

/// Columns of plain text as a table.
std::string html_table(const std::string& caption, const std::vector<CaseColumn>& columns);

enum class FigurePart { kValue, kLow, kHigh };

/// <data value="0.0261" data-case="c01" data-metric="latency" data-statistic="median" data-part="value">26.1 ms</data>:
/// the value in full precision beside the text, which is figure_text of it. A dash where there is none.
std::string figure_data(const AnalyzedCase& one, const MetricRow* row, FigurePart part);

/// As format_quantity; of a throughput the number alone, since the column's heading names its unit.
std::string figure_text(double value, std::string_view unit);

/// The ends of the row's interval, which it must have: "25.9 ms to 26.4 ms"; one of them where both read the same.
std::string interval_html(const AnalyzedCase& one, const MetricRow& row);

/// The value, and its interval below it where it has one whose ends read differently.
std::string figure_cell(const AnalyzedCase& one, const MetricRow* row);

/// "ok, VERDICT" or the status, coloured by what it means; never by colour alone.
std::string result_chip(const AnalyzedCase& one);

}  // namespace transformeter
