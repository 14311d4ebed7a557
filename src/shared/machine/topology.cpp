// Asks hwloc once and frees its tree; nothing else of the suite needs it alive.
#include "machine/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

Topology load(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error(ErrorKind::kEnvironment, "hwloc cannot start");
  Topology topology(raw);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) {
    throw bad_value("topology", synthetic, "an hwloc synthetic description such as 'pack:2 core:4 pu:2'");
  }
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) throw Error(ErrorKind::kEnvironment, "hwloc cannot read this machine's topology");
  return topology;
}

Json count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? Json(count) : Json(nullptr);
}

std::vector<int> numbers_of(hwloc_const_bitmap_t set) {
  std::vector<int> numbers;
  for (int number = hwloc_bitmap_first(set); number >= 0; number = hwloc_bitmap_next(set, number)) {
    numbers.push_back(number);
  }
  return numbers;
}

Json caches_of(hwloc_topology_t topology) {
  constexpr std::pair<hwloc_obj_type_t, const char*> kCaches[] = {{HWLOC_OBJ_L1CACHE, "L1d"},
                                                                  {HWLOC_OBJ_L1ICACHE, "L1i"},
                                                                  {HWLOC_OBJ_L2CACHE, "L2"},
                                                                  {HWLOC_OBJ_L3CACHE, "L3"},
                                                                  {HWLOC_OBJ_L4CACHE, "L4"}};
  Json caches = Json::array();
  for (const auto& [type, name] : kCaches) {
    std::map<std::pair<hwloc_uint64_t, unsigned>, int> instances;  // by size and line size
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
      ++instances[{object->attr->cache.size, object->attr->cache.linesize}];
    }
    for (const auto& [shape, count] : instances) {
      const auto& [size, line] = shape;
      caches.push_back({{"name", name},
                        {"size_bytes", size > 0 ? Json(size) : Json(nullptr)},
                        {"line_bytes", line > 0 ? Json(line) : Json(nullptr)},
                        {"instance_count", count}});
    }
  }
  return caches;
}

}  // namespace

Json describe_topology(const std::string& synthetic) {
  const Topology topology = load(synthetic);
  Json description = {{"socket_count", count_of(topology.get(), HWLOC_OBJ_PACKAGE)},
                      {"numa_node_count", count_of(topology.get(), HWLOC_OBJ_NUMANODE)},
                      {"core_count", count_of(topology.get(), HWLOC_OBJ_CORE)},
                      {"hardware_thread_count", count_of(topology.get(), HWLOC_OBJ_PU)},
                      {"hyper_threading", nullptr},
                      {"caches", caches_of(topology.get())}};
  const Json& cores = description["core_count"];
  const Json& threads = description["hardware_thread_count"];
  if (!cores.is_null() && !threads.is_null()) description["hyper_threading"] = threads.get<int>() > cores.get<int>();
  return description;
}

ProcessorMap read_processor_map(const std::string& synthetic) {
  const Topology topology = load(synthetic);
  ProcessorMap map;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    map.nodes.push_back(static_cast<int>(node->os_index));
  }
  std::sort(map.nodes.begin(), map.nodes.end());
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_CORE, core)) != nullptr;) {
    const int node = hwloc_bitmap_first(core->nodeset);
    map.cores.push_back({numbers_of(core->cpuset), std::max(node, 0)});
  }
  return map;
}

}  // namespace transformeter
