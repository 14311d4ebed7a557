// Sockets, NUMA nodes, cores, hardware threads and caches, by hwloc.
#pragma once

#include <string>

#include "base/json.h"

namespace transformeter {

/// {socket_count, numa_node_count, core_count, hardware_thread_count, hyper_threading, caches: [{name, size_bytes,
/// line_bytes, instance_count}]}. The whole machine, also what a container forbids; caches of one name but several
/// sizes (hybrid processors) are several entries. `synthetic` is an hwloc synthetic description for tests; empty: this
/// machine. A count that hwloc does not know is null. Throws Error(kEnvironment) when hwloc cannot load.
Json describe_topology(const std::string& synthetic = "");

}  // namespace transformeter
