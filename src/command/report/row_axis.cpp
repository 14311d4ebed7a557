// Rows count from the top, axes from the bottom.
#include "report/row_axis.h"

#include <algorithm>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {

double row_height(std::size_t index, std::size_t count) {
  return static_cast<double>(count - 1 - index);
}

void set_rows(Plot& plot, const std::vector<std::string>& names) {
  constexpr std::size_t kNameColumns = 26;
  constexpr int kAroundRows = 96;  // the horizontal axis and its label
  constexpr int kRow = 22;         // a line of text
  plot.y.from = -0.6;
  plot.y.to = static_cast<double>(names.size()) - 0.4;
  plot.y.has_grid = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    plot.y.tics.push_back({row_height(i, names.size()), cut_to_columns(one_line(names[i]), kNameColumns)});
    plot.left_characters = std::max(plot.left_characters, display_width(plot.y.tics.back().text) + 2);
  }
  plot.height = kAroundRows + static_cast<int>(names.size()) * kRow;
}

}  // namespace transformeter
