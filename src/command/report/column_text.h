// A table's columns as text for a terminal of limited width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"

namespace transformeter {

struct ColumnText {
  std::string text;                   // a heading and the rows; every line ends with '\n'
  std::vector<std::string> left_out;  // headings of columns that did not fit
};

/// Hides optional columns, last first, then truncates the widest columns with an ellipsis, until all fit into `width`
/// columns; nothing: all as they are. With `has_colour` cells with a chip have its colour.
ColumnText column_text(const std::vector<Column>& columns, std::optional<std::size_t> width, bool has_colour);

}  // namespace transformeter
