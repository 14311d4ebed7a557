// A JSON file of things that can be made again and that several processes keep in it: {"version": N, ...}.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/json.h"

namespace transformeter {

/// Null where the file is missing, damaged or of another version.
Json read_kept_file(const std::filesystem::path& path, int version);

/// Lets `change` alter what the file holds, null where there is nothing that can be read, and writes it, all under a
/// lock; makes the folder. Returns why it could not; nothing where it could. Never throws.
std::optional<std::string> change_kept_file(const std::filesystem::path& path, int version,
                                            const std::function<Json(const Json& present)>& change);

}  // namespace transformeter
