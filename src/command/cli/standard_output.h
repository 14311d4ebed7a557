// Results go to stdout whole, or the command fails.
#pragma once

#include <filesystem>
#include <string_view>

namespace transformeter {

/// Writes and flushes. Throws Error(kEnvironment) when not every byte could be written, as on a full disk.
void write_standard_output(std::string_view text);

/// Whether `path` leads to where stdout goes, as /dev/stdout does.
bool is_standard_output(const std::filesystem::path& path);

}  // namespace transformeter
