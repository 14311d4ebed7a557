// What the terminal at a stream can show.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>

namespace transformeter {

struct Terminal {
  bool is_terminal = false;  // lines can be drawn over
  bool has_colour = false;   // a terminal, and the user did not set NO_COLOR
  std::size_t width = 80;    // columns
};

/// TERM=dumb counts as no terminal. The width is read at each call, since windows change.
Terminal terminal_at(std::FILE* stream);

/// The width that a table has to fit; nothing for a file or a pipe.
inline std::optional<std::size_t> width_limit(const Terminal& terminal) {
  return terminal.is_terminal ? std::optional(terminal.width) : std::nullopt;
}

}  // namespace transformeter
