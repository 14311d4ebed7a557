// How many threads `auto` means.
#pragma once

#include <optional>
#include <vector>

#include "machine/system_files.h"

namespace transformeter {

/// Physical cores this process may run on: those of its affinity mask, hardware threads of one core counted once, at
/// most the container's processor quota rounded down; at least 1. `allowed` is the mask (nothing: unknown, then all
/// CPUs that are online).
int available_cores(const std::optional<std::vector<int>>& allowed, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
