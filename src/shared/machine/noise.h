// What else the processors that we may use did while we measured: two snapshots around a window, and their difference.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "machine/cgroup.h"
#include "machine/system_files.h"

namespace transformeter {

/// Counters at one moment; a few milliseconds to take on a large machine, so before and after a window, not within.
struct NoiseSnapshot {
  Clock::TimePoint time;
  std::vector<int> cpus;                   // looked at, ascending; empty when the kernel does not list any
  std::optional<double> busy_s;            // of these: user, nice, system, irq, softirq
  std::optional<double> steal_s;           // of these: taken by the hypervisor for other guests
  std::vector<pid_t> own_pids;             // whose time counts as ours
  std::optional<double> own_s;             // nothing when one of them is gone
  std::optional<double> run_queue_wait_s;  // of the calling process's threads: ready to run, and no processor given
  long long involuntary_switches = 0;      // of the calling process, all threads
  long long voluntary_switches = 0;
  long long major_faults = 0;
  long long minor_faults = 0;
  std::optional<long long> thermal_throttle_count;  // events of the cores of `cpus`, plus those of their packages
  std::optional<CgroupThrottling> cgroup;
  std::optional<double> frequency_hz;  // mean over `cpus` at this moment
};

/// Of the CPUs that the calling process's threads may use and that are online; of all where the kernel does not say
/// which. `own_pids`: the measuring process (0: the caller), its parent and whoever else works for the measurement.
NoiseSnapshot take_noise_snapshot(const std::vector<pid_t>& own_pids, const Clock& clock,
                                  const SystemFiles& files = SystemFiles());

/// Of the same CPUs and processes, later.
NoiseSnapshot take_noise_snapshot_again(const NoiseSnapshot& before, const Clock& clock,
                                        const SystemFiles& files = SystemFiles());

/// Differences over the window. Nothing where either end lacks the figure, or where a counter went backwards (a process
/// id used again, a counter reset).
struct NoiseReport {
  double window_s = 0;
  std::optional<int> cpu_count;  // of the CPUs looked at
  std::optional<double> own_cpu_s;
  /// Busy time of the CPUs minus ours, wherever ours was spent; at least 0. Kernels account in ticks of 1 ÷ USER_HZ
  /// (10 ms), so a figure below `cpu_time_resolution_s` (a tick for each CPU and own process) means no more than 0.
  std::optional<double> foreign_cpu_s;
  std::optional<double> cpu_time_resolution_s;
  /// foreign_cpu_s ÷ (window × CPUs); nothing also for an empty window.
  std::optional<double> foreign_ratio;
  std::optional<double> steal_s;
  std::optional<double> run_queue_wait_s;
  std::optional<long long> involuntary_switch_count;
  std::optional<long long> voluntary_switch_count;
  std::optional<long long> major_fault_count;
  std::optional<long long> minor_fault_count;
  std::optional<long long> thermal_throttle_count;
  std::optional<long long> cgroup_throttled_period_count;
  std::optional<double> cgroup_throttled_s;
  std::optional<double> frequency_before_hz;
  std::optional<double> frequency_after_hz;
};

/// The two must come from the same process and be of the same CPUs and pids, else what is of CPU time is nothing.
NoiseReport noise_between(const NoiseSnapshot& before, const NoiseSnapshot& after);

/// Processors that other processes kept busy over the window or the hypervisor took, beyond what the kernel's clock
/// resolves; nothing where that is not known.
std::optional<double> foreign_processors(const NoiseReport& report);

/// The report's field names as keys; nothing becomes null.
Json to_json(const NoiseReport& report);

}  // namespace transformeter
