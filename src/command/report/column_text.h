// Columns as text for a terminal of limited width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/case_columns.h"

namespace transformeter {

struct ColumnText {
  std::string text;                   // a heading and the rows; every line ends with '\n'
  std::vector<std::string> left_out;  // headings of columns that did not fit
};

/// Hides optional columns, last first, then truncates the widest columns with an ellipsis, until all fit into `width`
/// columns; nothing: all as they are. The last column is the result; each row's is coloured with the escape sequence in
/// `colours`, unless that is empty.
ColumnText column_text(std::vector<CaseColumn> columns, std::optional<std::size_t> width,
                       const std::vector<std::string_view>& colours);

}  // namespace transformeter
