// Columns as wide as their widest cell.
#include "cli/text_table.h"

#include <algorithm>

#include "report/display_text.h"

namespace transformeter {
namespace {

void append_row(std::string& text, const std::vector<TextColumn>& columns, const std::vector<std::size_t>& widths,
                const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string padding(widths[i] - display_width(cells[i]), ' ');
    if (i > 0) line.append("  ");
    line.append(columns[i].is_number ? padding + cells[i] : cells[i] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text.append(line).append("\n");
}

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> headings;
  for (const TextColumn& column : columns) headings.push_back(column.heading);
  std::vector<std::vector<std::string>> lines{headings};
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(columns.size());
  for (auto& cells : lines) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells[i] = one_line(cells[i]);
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  std::string text;
  for (const auto& cells : lines) append_row(text, columns, widths, cells);
  return text;
}

}  // namespace transformeter
