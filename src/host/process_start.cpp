// /proc/PID/stat counts from boot with suspended time (CLOCK_BOOTTIME), the steady clock without (CLOCK_MONOTONIC).
#include "host/process_start.h"

#include <ctime>

#include "host/process_stat.h"

namespace transformeter {
namespace {

std::chrono::nanoseconds read_clock(clockid_t id) {
  timespec time{};
  ::clock_gettime(id, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

std::optional<Clock::TimePoint> process_start(pid_t pid, const SystemFiles& files) {
  const auto stat = read_process_stat(pid, files);
  if (!stat) return std::nullopt;
  const std::chrono::nanoseconds suspended = read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC);
  const std::chrono::nanoseconds since_boot(stat->start_ticks * (1'000'000'000 / ticks_per_second()));
  return Clock::TimePoint(since_boot - suspended);
}

}  // namespace transformeter
