// Time as an interface, so that tests can set it. All durations come from the steady clock.
#pragma once

#include <chrono>
#include <string>

namespace transformeter {

class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  /// Monotonic; on Linux the same origin in every process of the machine.
  virtual TimePoint now() const = 0;
  /// Seconds since the Unix epoch, for time stamps only.
  virtual double wall_s() const = 0;
  /// CPU time of this process so far, all threads. Costs about 0.4 us, a system call. The kernel counts the calling
  /// thread exactly, others that are running up to their latest tick (1 to 10 ms).
  virtual std::chrono::nanoseconds process_cpu_time() const;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  double wall_s() const override;
};

/// Stands still until told otherwise.
class FakeClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  double wall_s() const override { return wall_s_; }
  std::chrono::nanoseconds process_cpu_time() const override { return cpu_time_; }
  void use_cpu(std::chrono::nanoseconds time) { cpu_time_ += time; }
  void advance(std::chrono::nanoseconds step) {
    now_ += step;
    wall_s_ += std::chrono::duration<double>(step).count();
  }

 private:
  TimePoint now_{};
  std::chrono::nanoseconds cpu_time_{0};
  double wall_s_ = 1'700'000'000.0;
};

/// ISO 8601 in UTC with milliseconds: "2026-11-21T01:53:54.123Z".
std::string format_utc(double wall_s);

}  // namespace transformeter
