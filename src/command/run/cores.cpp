// Reads sibling lists from /sys instead of loading hwloc: the same answer in microseconds.
#include "run/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <thread>

#include "machine/cgroup.h"
#include "machine/cpu_list.h"

namespace transformeter {
namespace {

std::vector<int> online_cpus(const SystemFiles& files) {
  if (const auto text = files.text("sys/devices/system/cpu/online")) {
    if (const auto cpus = parse_cpu_list(*text); cpus && !cpus->empty()) return *cpus;
  }
  std::vector<int> cpus(std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < cpus.size(); ++i) cpus[i] = static_cast<int>(i);
  return cpus;
}

// Names the core of a CPU by the list of its hardware threads; a CPU without a list is a core of its own.
std::string core_of(int cpu, const SystemFiles& files) {
  const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/topology/", cpu);
  for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {
    if (const auto text = files.text(folder + name)) return *text;
  }
  return std::to_string(cpu);
}

}  // namespace

int available_cores(const std::optional<std::vector<int>>& allowed, const SystemFiles& files) {
  std::set<std::string> cores;
  for (const int cpu : allowed && !allowed->empty() ? *allowed : online_cpus(files)) cores.insert(core_of(cpu, files));
  int count = static_cast<int>(cores.size());
  if (const auto quota = read_cgroup_limits(files).cpu_count) {
    count = std::min(count, static_cast<int>(std::floor(*quota)));
  }
  return std::max(1, count);
}

}  // namespace transformeter
