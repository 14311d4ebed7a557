// Terminal columns stand for widths: two for wide characters, none for combining marks.
#include "plots/page_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr double kColumn = 0.62;  // of the font's height; DejaVu Sans, which is wide, has 0.59 for small letters

std::size_t columns_in(int width, int font) {
  return static_cast<std::size_t>(std::max(4.0, width / (kColumn * font)));
}

// Of whole characters, `columns` wide at most.
std::size_t prefix_size(std::string_view text, std::size_t columns) {
  std::size_t size = 0;
  while (size < text.size()) {
    std::size_t next = size + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (size > 0 && display_width(text.substr(0, next)) > columns) break;
    size = next;
  }
  return size;
}

// Of whole characters, `columns` wide at most.
std::string_view suffix_of(std::string_view text, std::size_t columns) {
  while (!text.empty() && display_width(text) > columns) text.remove_prefix(prefix_size(text, 0));
  return text;
}

}  // namespace

int line_height(int font) {
  return font + font / 2;
}

int text_width(std::string_view text, int font) {
  return static_cast<int>(std::ceil(static_cast<double>(display_width(text)) * kColumn * font));
}

std::vector<std::string> text_lines(std::string_view text, int width, int font) {
  const std::size_t columns = columns_in(width, font);
  std::vector<std::string> lines;
  for (const std::string& line : split(wrapped(text, columns), '\n')) {
    std::string_view rest = line;
    do {
      const std::size_t size = prefix_size(rest, columns);
      lines.emplace_back(rest.substr(0, size));
      rest.remove_prefix(size);
    } while (!rest.empty());
  }
  return lines;
}

std::string text_within(std::string_view text, int width, int font) {
  std::string line = one_line(text);
  const std::size_t columns = columns_in(width, font);
  if (display_width(line) <= columns) return line;
  const std::string_view whole = line;
  const std::size_t begin = prefix_size(whole, columns / 2);
  const std::string_view end = suffix_of(whole.substr(begin), columns - columns / 2 - 1);
  return std::string(whole.substr(0, begin)).append("…").append(end);
}

}  // namespace transformeter
