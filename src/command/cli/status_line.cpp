// Drawing is \r, the line cut to the window, and "erase to the end of the line"; nothing else is assumed of a terminal.
#include "cli/status_line.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "report/display_text.h"

namespace transformeter {

void StatusLine::draw(const std::string& text) {
  const Terminal terminal = terminal_at(stream_);
  if (!terminal.is_terminal) return;
  fmt::print(stream_, "\r{}\x1b[K", cut_to_columns(text, terminal.width > 1 ? terminal.width - 1 : 1));
  std::fflush(stream_);
  is_drawn_ = true;
}

void StatusLine::print(const std::string& text) {
  clear();
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
}

void StatusLine::clear() {
  if (is_drawn_) fmt::print(stream_, "\r\x1b[K");
  is_drawn_ = false;
  std::fflush(stream_);
}

}  // namespace transformeter
