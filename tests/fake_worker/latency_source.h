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
  double factor_of_position();

  LatencyShape shape_;
  RandomStream random_;
  RandomStream spikes_;
  double mean_s_;
  double score_ = 0;  // of the next sample: standard normal
  std::int64_t count_ = 0;
};

}  // namespace transformeter
