// The processors that each thread of this process may run on.
#pragma once

#include <vector>

#include "machine/system_files.h"

namespace transformeter {

/// The affinity masks of the calling process's threads, its first thread first. Empty where the kernel does not say.
std::vector<std::vector<int>> read_thread_affinities(const SystemFiles& files = SystemFiles());

}  // namespace transformeter
