// What the terminal at a stream can show, and how wide text is on it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace transformeter {

struct Terminal {
  bool is_terminal = false;  // lines can be drawn over
  bool has_colour = false;   // a terminal, and the user did not set NO_COLOR
  std::size_t width = 80;    // columns
};

/// TERM=dumb counts as no terminal. The width is read anew at each call, since windows change.
Terminal terminal_at(std::FILE* stream);

/// Code points, which is columns for the text met here.
std::size_t text_width(std::string_view text);
/// At most `width` columns, never half a character.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace transformeter
