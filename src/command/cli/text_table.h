// A plain table for the terminal.
#pragma once

#include <string>
#include <vector>

namespace transformeter {

struct TextColumn {
  std::string heading;
  bool is_number = false;  // aligned right
};

/// Heading, then rows, each as many cells as there are columns, two blanks between; lines end with '\n' and carry no
/// trailing blanks. Cells are shown as one_line has them: no text of a user breaks the table or steers the terminal.
std::string text_table(const std::vector<TextColumn>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace transformeter
