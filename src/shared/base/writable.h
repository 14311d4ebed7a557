// Whether a folder can be written, before anything depends on it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace transformeter {

/// Why no file can be made in `folder`, found by making one, for access() allows root everything; none where it can.
std::optional<std::string> why_not_writable(const std::filesystem::path& folder);

}  // namespace transformeter
