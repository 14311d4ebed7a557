// Reads exports again, line by line, as a source of runs.
#pragma once

#include <filesystem>
#include <vector>

#include "store/store.h"

namespace transformeter {

/// Throws Error(kBadInput) when `file` cannot be read or does not begin as an export of a version known here. Cheap.
void check_export(const std::filesystem::path& file);

/// The runs of all files, in their order; a file may be several exports joined end to end. Throws Error(kBadInput)
/// beginning with "FILE:LINE: " for a line that is no JSON, of no known kind, out of order, with a field that is
/// missing, unknown or out of range, and for an export that ends early; so also for what the visitor throws of that
/// kind. At most one case is in memory.
RunSource import_source(std::vector<std::filesystem::path> files);

}  // namespace transformeter
