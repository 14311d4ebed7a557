// The five characters that mean something to HTML.
#include "report/html_text.h"

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        escaped.append("&amp;");
        break;
      case '<':
        escaped.append("&lt;");
        break;
      case '>':
        escaped.append("&gt;");
        break;
      case '"':
        escaped.append("&quot;");
        break;
      case '\'':
        escaped.append("&#39;");
        break;
      default:
        escaped.push_back(c);
    }
  }
  return escaped;
}

std::string escape_html_lines(std::string_view text) {
  std::string escaped;
  for (const std::string& line : split(text, '\n')) {
    if (!escaped.empty()) escaped.push_back('\n');
    escaped.append(escape_html(line));
  }
  return escaped;
}

std::string isolated(std::string_view text) {
  return "<bdi>" + escape_html(text) + "</bdi>";
}

}  // namespace transformeter
