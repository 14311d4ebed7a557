// Takes timed samples of one kind of unit: a batch, a request. What the measuring loop drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "protocol/series.h"

namespace transformeter {

class UnitSampler {
 public:
  virtual ~UnitSampler() = default;

  /// Times unit i in [0, unit_count()), records it, and returns its length in seconds.
  double take(std::size_t index, std::uint32_t flags = 0) { return do_take(index, flags); }
  /// The series so far, `latency` first, and starts new blocks.
  virtual std::vector<Series> drain() = 0;
  /// Starts are counted from here.
  virtual void set_origin(Clock::TimePoint origin) = 0;
  /// Units to go through in turn.
  virtual std::size_t unit_count() const = 0;
  /// K: how many of them differ by design. 1 where all are alike, whichever their texts.
  virtual std::size_t shape_count() const = 0;

 protected:
  virtual double do_take(std::size_t index, std::uint32_t flags) = 0;
};

}  // namespace transformeter
