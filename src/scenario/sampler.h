// Takes timed samples of a unit of work and keeps them as a series. What lies inside the window is the work alone.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "protocol/series.h"

namespace transformeter {

/// What one unit of work processes.
struct WorkSize {
  std::int64_t examples = 0;
  std::int64_t useful_tokens = 0;
  std::int64_t processed_tokens = 0;
};

class Sampler {
 public:
  /// `work(i)` runs unit i to its end, i in [0, sizes.size()). The clock must outlive the sampler.
  Sampler(const Clock& clock, std::function<void(std::size_t)> work, std::vector<WorkSize> sizes);

  /// Starts are counted from here.
  void set_origin(Clock::TimePoint origin) { origin_ = origin; }

  /// Times unit i, records it, and returns its length in seconds.
  double take(std::size_t index, std::uint32_t flags = 0);

  /// The series `latency` so far, and starts a new block.
  Series drain();

  std::size_t unit_count() const { return sizes_.size(); }

 private:
  const Clock& clock_;
  std::function<void(std::size_t)> work_;
  std::vector<WorkSize> sizes_;
  Clock::TimePoint origin_;
  Series block_;
};

}  // namespace transformeter
