// isatty and the window size.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace transformeter {

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

}  // namespace transformeter
