// Finds the group's folders from /proc/self/cgroup. A container without its own cgroup name space sees the host's path
// there but only its own group under /sys/fs/cgroup: levels that do not exist are skipped.
#include "machine/cgroup.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace transformeter {
namespace {

struct Controller {
  int version = 0;
  std::vector<std::string> levels;  // existing folders relative to the root of SystemFiles, innermost first
};

std::vector<std::string> levels_below(const SystemFiles& files, const std::string& mount, std::string path) {
  std::vector<std::string> levels;
  if (path.find("..") != std::string::npos) path.clear();  // outside this name space
  while (!path.empty() && path != "/") {
    if (files.exists(mount + path)) levels.push_back(mount + path);
    path.resize(path.rfind('/'));
  }
  levels.push_back(mount);
  return levels;
}

std::optional<Controller> find_controller(const SystemFiles& files, const std::string& name) {
  const std::string groups = files.text("proc/self/cgroup").value_or("");
  std::optional<Controller> unified;
  for (const std::string& line : split(groups, '\n')) {
    // HIERARCHY:CONTROLLERS:PATH, see cgroups(7).
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      const bool hybrid = files.exists("sys/fs/cgroup/unified");
      unified = Controller{2, levels_below(files, hybrid ? "sys/fs/cgroup/unified" : "sys/fs/cgroup", path)};
      continue;
    }
    const std::vector<std::string> names = split(controllers, ',');
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    for (const std::string& folder : {name, controllers}) {
      const std::string mount = "sys/fs/cgroup/" + folder;
      if (files.exists(mount)) return Controller{1, levels_below(files, mount, path)};
    }
  }
  return unified;
}

template <typename T>
void keep_smaller(std::optional<T>& smallest, const std::optional<T>& value) {
  if (value && (!smallest || *value < *smallest)) smallest = value;
}

// Version 1 writes "no limit" as the largest multiple of a page below 2^63.
std::optional<long long> limit_of(std::optional<long long> value) {
  constexpr long long kNoLimit = 1LL << 62;
  if (!value || *value >= kNoLimit) return std::nullopt;
  return value;
}

void read_memory(const SystemFiles& files, CgroupLimits& limits) {
  const auto controller = find_controller(files, "memory");
  if (!controller) return;
  limits.version = controller->version;
  const bool first = controller->version == 1;
  for (const std::string& level : controller->levels) {
    const auto limit = limit_of(files.integer(level + (first ? "/memory.limit_in_bytes" : "/memory.max")));
    if (!limit) continue;
    keep_smaller(limits.memory_limit_bytes, limit);
    const auto usage = files.integer(level + (first ? "/memory.usage_in_bytes" : "/memory.current"));
    if (!usage) continue;
    // The inactive part of the page cache is given back before an allocation fails.
    const std::string stat = files.text(level + "/memory.stat").value_or("");
    const long long cache = count_field(stat, first ? "total_inactive_file" : "inactive_file").value_or(0);
    const std::optional<long long> left = std::max(0LL, *limit - std::max(0LL, *usage - cache));
    keep_smaller(limits.memory_left_bytes, left);
  }
}

std::optional<double> quota_of(const SystemFiles& files, const std::string& level, int version) {
  std::optional<double> quota;
  std::optional<double> period;
  if (version == 1) {
    quota = files.integer(level + "/cpu.cfs_quota_us");  // -1: none
    period = files.integer(level + "/cpu.cfs_period_us");
  } else {
    const std::vector<std::string> words = split(files.text(level + "/cpu.max").value_or(""), ' ');  // "max 100000"
    if (words.size() == 2) {
      quota = parse_number(words[0]);
      period = parse_number(words[1]);
    }
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

}  // namespace

CgroupLimits read_cgroup_limits(const SystemFiles& files) {
  CgroupLimits limits;
  read_memory(files, limits);
  if (const auto cpu = find_controller(files, "cpu")) {
    for (const std::string& level : cpu->levels) keep_smaller(limits.cpu_count, quota_of(files, level, cpu->version));
  }
  if (const auto cpuset = find_controller(files, "cpuset")) {
    const std::string file = cpuset->version == 1 ? "/cpuset.effective_cpus" : "/cpuset.cpus.effective";
    for (const std::string& level : cpuset->levels) {
      limits.cpus = files.text(level + file);
      if (limits.cpus) break;  // the innermost effective set already lies within the outer ones
    }
  }
  return limits;
}

std::optional<CgroupThrottling> read_cgroup_throttling(const SystemFiles& files) {
  const auto cpu = find_controller(files, "cpu");
  if (!cpu) return std::nullopt;
  std::optional<CgroupThrottling> total;
  for (const std::string& level : cpu->levels) {
    const std::string stat = files.text(level + "/cpu.stat").value_or("");
    const auto count = count_field(stat, "nr_throttled");
    if (!count) continue;
    if (!total) total.emplace();
    total->period_count += *count;
    if (cpu->version == 1) {
      total->throttled_s += 1e-9 * static_cast<double>(count_field(stat, "throttled_time").value_or(0));
    } else {
      total->throttled_s += 1e-6 * static_cast<double>(count_field(stat, "throttled_usec").value_or(0));
    }
  }
  return total;
}

}  // namespace transformeter
