// Takes timed samples of one kind of unit: a batch, a request. What the measuring loop drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "schema/series.h"

namespace transformeter {

class UnitSampler {
 public:
  virtual ~UnitSampler() = default;

  /// From now on the process's CPU time of each unit is a further series, `sample_cpu_time`. It is read between units,
  /// never within a timed one. Call it before the first unit; the clock must outlive the sampler.
  void count_cpu_time(const Clock& clock) { cpu_clock_ = &clock; }

  /// Times unit i in [0, unit_count()), records it, and returns its length in seconds.
  double take(std::size_t index, std::uint32_t flags = 0);
  /// The series so far, `latency` first, and starts new blocks.
  std::vector<Series> drain();
  /// Starts are counted from here.
  virtual void set_origin(Clock::TimePoint origin) = 0;
  /// Units to go through in turn.
  virtual std::size_t unit_count() const = 0;
  /// K: how many of them differ by design. 1 where all are alike, whichever their texts.
  virtual std::size_t shape_count() const = 0;

 protected:
  virtual double do_take(std::size_t index, std::uint32_t flags) = 0;
  virtual std::vector<Series> do_drain() = 0;

 private:
  const Clock* cpu_clock_ = nullptr;  // null: CPU time is not counted
  /// After the latest unit; nothing where something else came since.
  std::optional<std::chrono::nanoseconds> cpu_time_so_far_;
  std::vector<double> cpu_times_s_;
};

}  // namespace transformeter
