// Entities where HTML could begin, backslashes where markup could.
#include "report/markdown_text.h"

#include <algorithm>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]|#~$!{}";
  std::string escaped;
  for (const char c : one_line(text)) {
    if (c == '&') {
      escaped.append("&amp;");
    } else if (c == '<') {
      escaped.append("&lt;");
    } else if (c == '>') {
      escaped.append("&gt;");
    } else {
      if (kMarkup.find(c) != std::string_view::npos) escaped.push_back('\\');
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string fenced(std::string_view code) {
  std::string body;
  std::size_t longest = 2;
  for (const std::string& line : split(code, '\n')) {
    std::size_t run = 0;
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    body.append(one_line(line)).append("\n");
  }
  const std::string fence(longest + 1, '`');
  return fence + "\n" + body + fence + "\n";
}

}  // namespace transformeter
