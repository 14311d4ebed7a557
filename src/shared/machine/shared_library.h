// Finding a shared library's file without loading it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace transformeter {

/// The folders in which the dynamic loader looks for this program's libraries (LD_LIBRARY_PATH, the system's), in its
/// order; those named only in ld.so.cache are not known to it here.
std::vector<std::filesystem::path> loader_folders();

/// The first file of one of these names, earlier folders first.
std::optional<std::filesystem::path> find_library(const std::vector<std::string>& names,
                                                  const std::vector<std::filesystem::path>& folders);

}  // namespace transformeter
