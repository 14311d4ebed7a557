// Greedy: each line takes as many words as fit.
#include "cli/wrapped_text.h"

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {

std::string wrapped_text(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  for (const std::string& word : split(one_line(text), ' ')) {
    if (column > 0 && column + 1 + display_width(word) > width) {
      result.append("\n").append(indent, ' ');
      column = 0;
    }
    if (column > 0) result.append(" ");
    result.append(word);
    column += display_width(word) + (column > 0 ? 1 : 0);
  }
  return result;
}

}  // namespace transformeter
