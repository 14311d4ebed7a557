// The system's clocks, and the one way a time stamp is written.
#include "base/clock.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace transformeter {

std::chrono::nanoseconds Clock::process_cpu_time() const {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

double SystemClock::wall_s() const {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string format_utc(double wall_s) {
  const auto milliseconds = static_cast<long long>(std::floor(wall_s * 1000));
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

}  // namespace transformeter
