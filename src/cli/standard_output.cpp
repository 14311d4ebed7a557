// A short write that nobody notices would leave half a result file.
#include "cli/standard_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace transformeter {

void write_standard_output(std::string_view text) {
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("cannot write the results to standard output: {}", std::strerror(errno)));
  }
}

}  // namespace transformeter
