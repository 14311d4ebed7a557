// The NUMA policy by which the kernel gives this process its memory.
#pragma once

#include <optional>

#include "base/placement.h"

namespace transformeter {

/// The calling thread's, as inherited over exec. Nothing where the kernel does not say: it has no NUMA, or a container
/// forbids the calls, and then set_mempolicy too.
std::optional<MemoryPolicy> read_memory_policy();

}  // namespace transformeter
