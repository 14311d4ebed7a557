// Widths and categories are utf8proc's.
#include "report/display_text.h"

#include <utf8proc.h>

#include "base/text.h"

namespace transformeter {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
  utf8proc_int32_t code = -1;  // -1: no UTF-8
  std::size_t bytes = 1;
};

Character first_character(std::string_view text) {
  Character character;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto count = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &character.code);
  if (count <= 0) return {};
  character.bytes = static_cast<std::size_t>(count);
  return character;
}

// Format characters reorder or hide their neighbours; the zero-width joiners are part of words.
bool is_unsafe(utf8proc_int32_t code) {
  if (code < 0) return true;
  const utf8proc_category_t category = utf8proc_category(code);
  if (category == UTF8PROC_CATEGORY_CF) return code != 0x200C && code != 0x200D;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CS;
}

bool is_line_or_tab(utf8proc_int32_t code) {
  return (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

std::size_t columns_of(utf8proc_int32_t code) {
  const int width = code < 0 ? 1 : utf8proc_charwidth(code);
  return width < 0 ? 0 : static_cast<std::size_t>(width);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_line_or_tab(character.code)) {
      line.push_back(' ');
    } else if (is_unsafe(character.code)) {
      line.append(kReplacement);
    } else {
      line.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes);
  }
  return line;
}

void append_line(std::string& text, std::string_view line) {
  text.append(one_line(line)).append("\n");
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += columns_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string cut_to_columns(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t columns = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    if (columns + columns_of(character.code) > width - 1) break;
    columns += columns_of(character.code);
    end += character.bytes;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string last_columns(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  if (width == 0) return "";
  while (columns > width - 1) {
    const Character character = first_character(text);
    columns -= columns_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return std::string(kEllipsis).append(text);
}

// Greedy: each line takes as many words as fit.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column) {
  std::string lines;
  bool is_begun = false;  // the line has a word
  for (const std::string& word : split(one_line(text), ' ')) {
    const std::size_t columns = display_width(word);
    if (is_begun && column + 1 + columns > width) {
      lines.append("\n").append(indent, ' ');
      column = indent;
      is_begun = false;
    }
    if (is_begun) {
      lines.push_back(' ');
      ++column;
    }
    lines.append(word);
    column += columns;
    is_begun = is_begun || !word.empty();
  }
  return lines;
}

}  // namespace transformeter
