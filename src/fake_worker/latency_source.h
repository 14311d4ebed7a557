// Draws latencies of a known distribution: what the analysis has to find again.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "fake_worker/behaviour.h"

namespace transformeter {

class LatencySource {
 public:
  LatencySource(const LatencyShape& shape, std::uint64_t seed);

  /// The next sample's latency in seconds, at least a nanosecond. `size` scales it: a batch's work relative to the
  /// mean of its cycle.
  double next(double size = 1);

 private:
  double draw();

  LatencyShape shape_;
  RandomStream random_;
  double mean_s_;
  double deviation_s_ = 0;  // ar1: of the last sample from the mean
  std::int64_t count_ = 0;
};

}  // namespace transformeter
