// Processor time of the window: the worker's, that of others, what is left, and what was withheld.
#include "metrics/load_rules.h"

#include <fmt/format.h>

#include <optional>

#include "metrics/scalar_metrics.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

// Time is counted in ticks, waits and steal in finer units: a short window may have no tick of its own.
std::optional<double> most_own_time(const ReplicateRecord& slice) {
  const auto own_s = scalar_of(slice, "own_cpu_time");
  if (!own_s) return std::nullopt;
  return *own_s + scalar_of(slice, "cpu_time_resolution").value_or(0);
}

// The time that others used, if it is more than a quiet machine's.
std::optional<double> much_foreign_time(const ReplicateRecord& slice) {
  const auto foreign_s = scalar_of(slice, "foreign_cpu_time");
  const double window_s = scalar_of(slice, "window").value_or(0);
  if (!foreign_s || !(window_s > 0)) return std::nullopt;
  const double resolution_s = scalar_of(slice, "cpu_time_resolution").value_or(0);
  if (!(*foreign_s - resolution_s > kMaxForeignLoad * window_s)) return std::nullopt;
  return foreign_s;
}

// Workers that do not count their processors cannot show that there was room.
bool has_room(const ReplicateRecord& slice, double foreign_s) {
  const auto cpus = scalar_of(slice, "allowed_cpus");
  const auto own_s = scalar_of(slice, "own_cpu_time");
  if (!cpus || !own_s) return false;
  return *own_s + foreign_s <= kMaxBusyShare * *cpus * scalar_of(slice, "window").value_or(0);
}

bool took_time(const ReplicateRecord& slice, double foreign_s) {
  return !has_room(slice, foreign_s) || !preempted_finding(slice).empty() || !stolen_finding(slice).empty();
}

std::string load_text(const ReplicateRecord& slice, double foreign_s) {
  const double window_s = scalar_of(slice, "window").value_or(0);
  const auto cpus = scalar_of(slice, "allowed_cpus");
  return fmt::format("other processes used {:.3g} s of CPU time in {:.3g} s ({:.2f}{} CPUs)", foreign_s, window_s,
                     foreign_s / window_s, cpus ? fmt::format(" of {:.0f}", *cpus) : "");
}

}  // namespace

std::string foreign_load_finding(const ReplicateRecord& slice) {
  const auto foreign_s = much_foreign_time(slice);
  return foreign_s && took_time(slice, *foreign_s) ? load_text(slice, *foreign_s) : "";
}

std::string harmless_load_finding(const ReplicateRecord& slice) {
  const auto foreign_s = much_foreign_time(slice);
  return foreign_s && !took_time(slice, *foreign_s) ? load_text(slice, *foreign_s) : "";
}

std::string preempted_finding(const ReplicateRecord& slice) {
  const auto wait_s = scalar_of(slice, "run_queue_wait_time");
  const auto most_own_s = most_own_time(slice);
  if (!wait_s || !most_own_s || !(*wait_s > kMaxRunQueueWait * *most_own_s)) return "";
  return fmt::format("threads waited {:.3g} s for a CPU and ran for {:.3g} s; waits above {:.0f} % count", *wait_s,
                     scalar_of(slice, "own_cpu_time").value_or(0), 100 * kMaxRunQueueWait);
}

std::string stolen_finding(const ReplicateRecord& slice) {
  const auto steal_s = scalar_of(slice, "steal_time");
  const auto most_own_s = most_own_time(slice);
  if (!steal_s || !most_own_s || !(*steal_s > kMaxSteal * *most_own_s)) return "";
  return fmt::format(
      "the hypervisor withheld {:.3g} s of CPU time while threads ran for {:.3g} s; more than {:.0f} % counts",
      *steal_s, scalar_of(slice, "own_cpu_time").value_or(0), 100 * kMaxSteal);
}

}  // namespace transformeter
