// /proc/stat and /proc/PID/stat for CPU time, getrusage for this process (its threads that ended included), sysfs for
// throttling.
#include "machine/noise.h"

#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "machine/process_stat.h"
#include "machine/run_queue.h"
#include "machine/thread_affinity.h"

namespace transformeter {
namespace {

struct CpuTime {
  int cpu = 0;
  double busy_s = 0;
  double steal_s = 0;
};

// "cpu0 user nice system idle iowait irq softirq steal guest guest_nice": guest time is already part of user and nice.
std::optional<CpuTime> parse_cpu_line(std::string_view line) {
  if (!line.starts_with("cpu") || !starts_with_digit(line.substr(3))) return std::nullopt;
  std::vector<long long> numbers;
  for (const std::string& word : split(line.substr(3), ' ')) {
    const auto number = parse_integer(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() < 9) return std::nullopt;
  const auto seconds = [](long long ticks) {
    return static_cast<double>(ticks) / static_cast<double>(ticks_per_second());
  };
  return CpuTime{static_cast<int>(numbers[0]), seconds(numbers[1] + numbers[2] + numbers[3] + numbers[6] + numbers[7]),
                 seconds(numbers[8])};
}

// Online CPUs, each with its time so far.
std::vector<CpuTime> read_cpu_times(const SystemFiles& files) {
  std::vector<CpuTime> times;
  for (const std::string& line : split(files.text("proc/stat").value_or(""), '\n')) {
    if (const auto time = parse_cpu_line(line)) times.push_back(*time);
  }
  return times;
}

// A mask may name CPUs that are offline. Threads are bound one by one, so the first one's mask says too little.
std::vector<int> usable_cpus(const SystemFiles& files) {
  std::set<int> allowed;
  for (const std::vector<int>& mask : read_thread_affinities(files)) allowed.insert(mask.begin(), mask.end());
  std::vector<int> cpus;
  for (const CpuTime& time : read_cpu_times(files)) {
    if (allowed.empty() || allowed.contains(time.cpu)) cpus.push_back(time.cpu);
  }
  return cpus;
}

void read_cpu_time(const SystemFiles& files, NoiseSnapshot& snapshot) {
  double busy_s = 0;
  double steal_s = 0;
  std::size_t found = 0;
  for (const CpuTime& time : read_cpu_times(files)) {
    if (!std::binary_search(snapshot.cpus.begin(), snapshot.cpus.end(), time.cpu)) continue;
    busy_s += time.busy_s;
    steal_s += time.steal_s;
    ++found;
  }
  if (found == 0 || found != snapshot.cpus.size()) return;
  snapshot.busy_s = busy_s;
  snapshot.steal_s = steal_s;
}

std::optional<double> own_time(const std::vector<pid_t>& pids, const SystemFiles& files) {
  double total = 0;
  for (const pid_t pid : pids) {
    const auto stat = read_process_stat(pid, files);
    if (!stat) return std::nullopt;
    total += stat->cpu_s;
  }
  return total;
}

void read_cpu_folders(const SystemFiles& files, NoiseSnapshot& snapshot) {
  std::optional<long long> core_events;
  std::map<long long, long long> package_events;  // every CPU of a package shows the package's count
  double frequency_sum_hz = 0;
  int frequency_count = 0;
  for (const int cpu : snapshot.cpus) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    if (const auto count = files.integer(folder + "/thermal_throttle/core_throttle_count")) {
      core_events = core_events.value_or(0) + *count;
    }
    if (const auto count = files.integer(folder + "/thermal_throttle/package_throttle_count")) {
      long long& known = package_events[files.integer(folder + "/topology/physical_package_id").value_or(0)];
      known = std::max(known, *count);
    }
    if (const auto kilohertz = files.integer(folder + "/cpufreq/scaling_cur_freq")) {
      frequency_sum_hz += 1e3 * static_cast<double>(*kilohertz);
      ++frequency_count;
    }
  }
  if (core_events || !package_events.empty()) {
    long long events = core_events.value_or(0);
    for (const auto& [package, count] : package_events) events += count;
    snapshot.thermal_throttle_count = events;
  }
  if (frequency_count > 0) snapshot.frequency_hz = frequency_sum_hz / frequency_count;
}

template <typename T>
std::optional<T> growth(const std::optional<T>& before, const std::optional<T>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

std::optional<long long> growth(long long before, long long after) {
  return growth(std::optional<long long>(before), std::optional<long long>(after));
}

void compare_cpu_time(const NoiseSnapshot& before, const NoiseSnapshot& after, NoiseReport& report) {
  const bool has_own = before.own_pids == after.own_pids;
  if (has_own) report.own_cpu_s = growth(before.own_s, after.own_s);
  if (before.cpus != after.cpus || after.cpus.empty()) return;
  report.cpu_count = static_cast<int>(after.cpus.size());
  report.steal_s = growth(before.steal_s, after.steal_s);
  const auto busy_s = growth(before.busy_s, after.busy_s);
  if (!busy_s || !report.own_cpu_s) return;
  report.foreign_cpu_s = std::max(0.0, *busy_s - *report.own_cpu_s);
  report.cpu_time_resolution_s =
      static_cast<double>(after.cpus.size() + after.own_pids.size()) / static_cast<double>(ticks_per_second());
  if (report.window_s > 0) report.foreign_ratio = *report.foreign_cpu_s / (report.window_s * *report.cpu_count);
}

// Completes a snapshot that knows its CPUs and processes.
NoiseSnapshot filled(NoiseSnapshot snapshot, const Clock& clock, const SystemFiles& files) {
  read_cpu_time(files, snapshot);
  snapshot.own_s = own_time(snapshot.own_pids, files);
  read_cpu_folders(files, snapshot);
  snapshot.cgroup = read_cgroup_throttling(files);
  snapshot.run_queue_wait_s = run_queue_wait_s(files);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  snapshot.involuntary_switches = usage.ru_nivcsw;
  snapshot.voluntary_switches = usage.ru_nvcsw;
  snapshot.major_faults = usage.ru_majflt;
  snapshot.minor_faults = usage.ru_minflt;
  snapshot.time = clock.now();
  return snapshot;
}

}  // namespace

NoiseSnapshot take_noise_snapshot(const std::vector<pid_t>& own_pids, const Clock& clock, const SystemFiles& files) {
  NoiseSnapshot snapshot;
  snapshot.own_pids = own_pids;
  snapshot.cpus = usable_cpus(files);
  return filled(std::move(snapshot), clock, files);
}

NoiseSnapshot take_noise_snapshot_again(const NoiseSnapshot& before, const Clock& clock, const SystemFiles& files) {
  NoiseSnapshot snapshot;
  snapshot.own_pids = before.own_pids;
  snapshot.cpus = before.cpus;
  return filled(std::move(snapshot), clock, files);
}

NoiseReport noise_between(const NoiseSnapshot& before, const NoiseSnapshot& after) {
  NoiseReport report;
  report.window_s = std::chrono::duration<double>(after.time - before.time).count();
  compare_cpu_time(before, after, report);
  report.run_queue_wait_s = growth(before.run_queue_wait_s, after.run_queue_wait_s);
  report.involuntary_switch_count = growth(before.involuntary_switches, after.involuntary_switches);
  report.voluntary_switch_count = growth(before.voluntary_switches, after.voluntary_switches);
  report.major_fault_count = growth(before.major_faults, after.major_faults);
  report.minor_fault_count = growth(before.minor_faults, after.minor_faults);
  report.thermal_throttle_count = growth(before.thermal_throttle_count, after.thermal_throttle_count);
  if (before.cgroup && after.cgroup) {
    report.cgroup_throttled_period_count = growth(before.cgroup->period_count, after.cgroup->period_count);
    report.cgroup_throttled_s =
        growth(std::optional<double>(before.cgroup->throttled_s), std::optional<double>(after.cgroup->throttled_s));
  }
  report.frequency_before_hz = before.frequency_hz;
  report.frequency_after_hz = after.frequency_hz;
  return report;
}

std::optional<double> foreign_processors(const NoiseReport& report) {
  if (!report.foreign_cpu_s || !(report.window_s > 0)) return std::nullopt;
  const double taken_s = *report.foreign_cpu_s + report.steal_s.value_or(0);
  return std::max(0.0, taken_s - report.cpu_time_resolution_s.value_or(0)) / report.window_s;
}

Json to_json(const NoiseReport& report) {
  const auto value = [](const auto& field) { return field ? Json(*field) : Json(nullptr); };
  return {{"window_s", report.window_s},
          {"cpu_count", value(report.cpu_count)},
          {"own_cpu_s", value(report.own_cpu_s)},
          {"foreign_cpu_s", value(report.foreign_cpu_s)},
          {"cpu_time_resolution_s", value(report.cpu_time_resolution_s)},
          {"foreign_ratio", value(report.foreign_ratio)},
          {"steal_s", value(report.steal_s)},
          {"run_queue_wait_s", value(report.run_queue_wait_s)},
          {"involuntary_switch_count", value(report.involuntary_switch_count)},
          {"voluntary_switch_count", value(report.voluntary_switch_count)},
          {"major_fault_count", value(report.major_fault_count)},
          {"minor_fault_count", value(report.minor_fault_count)},
          {"thermal_throttle_count", value(report.thermal_throttle_count)},
          {"cgroup_throttled_period_count", value(report.cgroup_throttled_period_count)},
          {"cgroup_throttled_s", value(report.cgroup_throttled_s)},
          {"frequency_before_hz", value(report.frequency_before_hz)},
          {"frequency_after_hz", value(report.frequency_after_hz)}};
}

}  // namespace transformeter
