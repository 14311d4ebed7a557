// Threads by variables of OpenMP and MKL; processors, nodes and huge pages by system calls; malloc has a file of its
// own.
#include "run/launch_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "machine/cpu_list.h"
#include "run/allocator_launch.h"

namespace transformeter {
namespace {

std::map<std::string, std::string> inherited_variables() {
  static constexpr std::array<std::string_view, 17> kPrefixes{
      "OMP_",           "GOMP_",     "KMP_",       "MKL_",      "ONEDNN_",
      "DNNL_",          "OPENBLAS_", "ATEN_",      "TORCH_",    "PYTORCH_",
      "MALLOC_",        "MIMALLOC_", "LD_PRELOAD", "TCMALLOC_", "THP_MEM_ALLOC_ENABLE",
      "GLIBC_TUNABLES", "ORT_"};
  std::map<std::string, std::string> found;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool counts = std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                    [&](std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; });
    const std::size_t equals = text.find('=');
    if (counts && equals != std::string_view::npos) {
      found[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
    }
  }
  return found;
}

// The hardware threads of each core that may be used: all allowed ones, or those of one NUMA node.
std::vector<std::vector<int>> usable_cores(const LaunchHost& host, std::optional<int> node) {
  std::vector<std::vector<int>> cores;
  for (const ProcessorMap::Core& core : host.processors.cores) {
    if (node && core.node != *node) continue;
    std::vector<int> cpus;
    for (const int cpu : core.cpus) {
      if (std::binary_search(host.allowed_cpus.begin(), host.allowed_cpus.end(), cpu)) cpus.push_back(cpu);
    }
    if (!cpus.empty()) cores.push_back(std::move(cpus));
  }
  return cores;
}

// A hardware thread of each core, then the second ones, and so on; neighbouring cores first.
std::vector<int> in_pinning_order(const std::vector<std::vector<int>>& cores) {
  std::vector<int> order;
  for (std::size_t round = 0;; ++round) {
    const std::size_t before = order.size();
    for (const std::vector<int>& core : cores) {
      if (round < core.size()) order.push_back(core[round]);
    }
    if (order.size() == before) return order;
  }
}

std::string sorted_list(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  return format_cpu_list(cpus);
}

std::vector<int> pinned_cpus(const Case& asked, const std::vector<std::vector<int>>& cores) {
  std::vector<int> cpus = in_pinning_order(cores);
  const auto threads = asked.threads ? static_cast<std::size_t>(*asked.threads) : cores.size();
  if (threads > cpus.size()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("pinning {}: {} threads need more than the {} allowed CPUs ({}); set --threads to at most {}",
                    asked.pinning, threads, cpus.size(), sorted_list(cpus), cpus.size()));
  }
  cpus.resize(threads);
  return cpus;
}

void add_threads(const Case& asked, Launch& launch) {
  if (!asked.threads) return;
  launch.environment["OMP_NUM_THREADS"] = std::to_string(*asked.threads);
  launch.environment["MKL_NUM_THREADS"] = std::to_string(*asked.threads);
}

void require_memory_policy(const LaunchHost& host, const std::string& value) {
  if (host.has_memory_policy) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format(
          "numa {}: the kernel or the container does not allow memory binding; in Docker, use --cap-add SYS_NICE",
          value));
}

// The node to which processors and memory are bound; nothing for other policies.
std::optional<int> add_numa(const Case& asked, const LaunchHost& host, Launch& launch) {
  const std::vector<int>& nodes = host.processors.nodes;
  if (asked.numa == CountOrWord("interleave")) {
    require_memory_policy(host, "interleave");
    if (nodes.size() < 2) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("numa interleave: this machine has only one NUMA node ({})", format_cpu_list(nodes)));
    }
    launch.placement.memory = {MemoryPolicy::Mode::kInterleave, nodes};
    return std::nullopt;
  }
  const auto* const asked_node = std::get_if<std::int64_t>(&asked.numa);
  if (asked_node == nullptr) return std::nullopt;
  const auto node = static_cast<int>(*asked_node);
  require_memory_policy(host, std::to_string(node));
  if (!std::binary_search(nodes.begin(), nodes.end(), node)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("numa {}: this machine has no such NUMA node; it has {}", node, format_cpu_list(nodes)));
  }
  launch.placement.memory = {MemoryPolicy::Mode::kBind, {node}};
  return node;
}

// OpenMP's own binding would also hold the main thread, and with it every thread that it makes, on the first processor;
// so it comes only where it was asked for.
void add_processors(const Case& asked, const LaunchHost& host, std::optional<int> node, Launch& launch) {
  const bool is_pinned = asked.pinning == "cores" || asked.pinning == "threads";
  if (!is_pinned && !node) return;
  const std::vector<std::vector<int>> cores = usable_cores(host, node);
  const auto& all = host.processors.cores;
  const auto is_near = [&](const ProcessorMap::Core& core) { return core.node == *node; };
  if (node && std::none_of(all.begin(), all.end(), is_near) && !is_pinned) return;  // memory without processors
  if (cores.empty()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}: this process may not use any CPU of that node (allowed: {})",
                                                     node ? fmt::format("numa {}", *node) : "pinning " + asked.pinning,
                                                     format_cpu_list(host.allowed_cpus)));
  }
  std::vector<int> cpus = is_pinned ? pinned_cpus(asked, cores) : in_pinning_order(cores);
  if (asked.pinning == "threads") {
    launch.environment["OMP_PLACES"] = fmt::format("{{{}}}", fmt::join(cpus, "},{"));
    launch.environment["OMP_PROC_BIND"] = "close";
  }
  std::sort(cpus.begin(), cpus.end());
  launch.placement.cpus = std::move(cpus);
}

void add_huge_pages(const Case& asked, const LaunchHost& host, Launch& launch) {
  if (asked.huge_pages == "off") launch.placement.no_huge_pages = true;
  if (asked.huge_pages != "transparent") return;
  if (!host.transparent_huge_pages) {
    throw Error(ErrorKind::kUnsupported, "huge_pages transparent: this kernel does not support transparent huge pages");
  }
  if (*host.transparent_huge_pages == "never") {
    throw Error(ErrorKind::kUnsupported,
                "huge_pages transparent: disabled on this machine ('never'); enable with: echo madvise | sudo tee "
                "/sys/kernel/mm/transparent_hugepage/enabled");
  }
}

std::string policy_text(const MemoryPolicy& policy) {
  const char* const mode = policy.mode == MemoryPolicy::Mode::kInterleave ? "interleave" : "bind";
  return fmt::format("{} {}", mode, format_cpu_list(policy.nodes));
}

}  // namespace

Launch launch_of(const Case& asked, const LaunchHost& host) {
  Launch launch;
  launch.environment = inherited_variables();
  add_threads(asked, launch);
  const std::optional<int> node = add_numa(asked, host, launch);
  add_processors(asked, host, node, launch);
  add_huge_pages(asked, host, launch);
  add_allocator(asked, host, launch.environment);
  return launch;
}

Json to_json(const Launch& launch) {
  Json json = {{"environment", launch.environment}};
  const Placement& placement = launch.placement;
  if (!placement.cpus.empty()) json["cpus"] = format_cpu_list(placement.cpus);
  if (placement.memory.mode != MemoryPolicy::Mode::kNone) json["memory_policy"] = policy_text(placement.memory);
  if (placement.no_huge_pages) json["transparent_huge_pages"] = "off";
  return json;
}

}  // namespace transformeter
