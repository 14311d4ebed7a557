// Results go to stdout whole, or the command fails.
#pragma once

#include <string_view>

namespace transformeter {

/// Writes and flushes. Throws Error(kEnvironment) when not every byte could be written, as on a full disk.
void write_standard_output(std::string_view text);

}  // namespace transformeter
