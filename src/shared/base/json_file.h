// JSON as a file that people read.
#pragma once

#include <filesystem>

#include "base/json.h"

namespace transformeter {

/// Indented, with a line's end; written whole or not at all, as write_file_atomically. Throws Error(kEnvironment).
void write_json_file(const std::filesystem::path& path, const Json& json);

}  // namespace transformeter
