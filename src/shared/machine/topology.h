// Sockets, NUMA nodes, cores, hardware threads and caches, by hwloc: described for people, and as a map to place by.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// {socket_count, numa_node_count, core_count, hardware_thread_count, hyper_threading, caches: [{name, size_bytes,
/// line_bytes, instance_count}]}. The whole machine, also what a container forbids; caches of one name but several
/// sizes (hybrid processors) are several entries. `synthetic` is an hwloc synthetic description for tests; empty: this
/// machine. A count that hwloc does not know is null. Throws Error(kEnvironment) when hwloc cannot load.
Json describe_topology(const std::string& synthetic = "");

/// Where threads and memory can be put, in hwloc's order: neighbours share caches.
struct ProcessorMap {
  struct Core {
    std::vector<int> cpus;  // its hardware threads
    int node = 0;           // the NUMA node it is nearest to
  };
  std::vector<Core> cores;
  std::vector<int> nodes;  // numbers of the NUMA nodes that have memory, ascending
};

/// The whole machine, also what a container forbids. `synthetic` and errors as describe_topology.
ProcessorMap read_processor_map(const std::string& synthetic = "");

}  // namespace transformeter
