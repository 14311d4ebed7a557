// isatty, the window size, and UTF-8 code points.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace transformeter {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

Terminal terminal_at(std::FILE* stream) {
  Terminal terminal;
  const int descriptor = ::fileno(stream);
  const char* term = std::getenv("TERM");
  terminal.is_terminal = ::isatty(descriptor) != 0 && term != nullptr && std::string_view(term) != "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  terminal.has_colour = terminal.is_terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  return terminal;
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += is_continuation(c) ? 0 : 1;
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_continuation(text[i])) continue;
    if (columns == width) return std::string(text.substr(0, i));
    ++columns;
  }
  return std::string(text);
}

}  // namespace transformeter
