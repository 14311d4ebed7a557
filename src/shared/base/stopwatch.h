// Seconds between two readings of a clock.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace transformeter {

inline double seconds_between(Clock::TimePoint from, Clock::TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Runs from when it is made. The clock must outlive it.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.now()) {}
  double seconds() const { return seconds_between(start_, clock_.now()); }

 private:
  const Clock& clock_;
  Clock::TimePoint start_;
};

}  // namespace transformeter
