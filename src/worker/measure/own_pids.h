// The processes whose CPU time does not count as background load.
#pragma once

#include <sys/types.h>

#include <vector>

namespace transformeter {

/// `named` by the command, and this process: once, whether or not the command named it too, because counted twice its
/// time would hide background load.
std::vector<pid_t> own_pids(const std::vector<int>& named);

}  // namespace transformeter
