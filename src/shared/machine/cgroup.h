// What the container allows: CPU quota, memory, CPU set, and how often the quota stopped us. cgroup versions 1 and 2,
// and the hybrid of both.
#pragma once

#include <optional>
#include <string>

#include "machine/system_files.h"

namespace transformeter {

/// Limits of every level from this process's group up to the root hold, so the tightest counts. Nothing: no limit, or
/// not readable.
struct CgroupLimits {
  std::optional<int> version;                   // 1 or 2, of the memory controller; nothing: no cgroups
  std::optional<double> cpu_count;              // quota ÷ period, in CPUs
  std::optional<long long> memory_limit_bytes;  // the tightest
  std::optional<long long> memory_left_bytes;   // the smallest limit − (usage − inactive file cache), at least 0
  std::optional<std::string> cpus;              // "0-3"
};

CgroupLimits read_cgroup_limits(const SystemFiles& files);

/// Counters since the groups were made, summed over the levels.
struct CgroupThrottling {
  long long period_count = 0;  // enforcement periods in which the quota was used up
  double throttled_s = 0;      // summed over CPUs
};

/// Nothing where no level has a CPU controller.
std::optional<CgroupThrottling> read_cgroup_throttling(const SystemFiles& files);

}  // namespace transformeter
