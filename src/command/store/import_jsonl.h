// Reads exports again, line by line, as a source of runs.
#pragma once

#include <filesystem>
#include <vector>

#include "store/store.h"

namespace transformeter {

/// The runs of all files, in their order; a file may be several exports joined end to end, a pipe, or "-", the standard
/// input. Throws Error(kBadInput) at once, before the source is used, when one cannot be read or does not begin as an
/// export of a version known here. The source, which may be used once, throws Error(kBadInput) beginning with
/// "FILE:LINE: " for a line that is no JSON, of no known kind, out of order, with a field that is missing, unknown,
/// repeated or out of range, for a case whose status its replicates contradict, and for an export that ends early; so
/// also for what the visitor throws of that kind, with the line of the run or case. At most one case is in memory.
RunSource import_source(const std::vector<std::filesystem::path>& files);

}  // namespace transformeter
