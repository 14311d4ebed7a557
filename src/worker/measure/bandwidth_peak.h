// Measures memory bandwidth with all threads: STREAM's triad and copy (McCalpin 1995), and reading alone, on arrays
// much larger than the caches.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "device/device.h"
#include "schema/peak.h"
#include "stats/stopping_rule.h"

namespace transformeter {

/// Of one of the three arrays of doubles: 4 times the last-level caches of `topology` (machine/topology.h) together, as
/// STREAM's rules ask, but at most a sixth of `available_bytes`. `note` is set where the rule is not met.
struct ArraySize {
  std::int64_t bytes = 0;
  std::string note;
};
ArraySize stream_array_size(const Json& topology, std::int64_t available_bytes);

struct BandwidthOptions {
  ArraySize array;
  StoppingOptions stopping = default_stopping();

  static StoppingOptions default_stopping();
};

/// On a GPU, as operators of LibTorch on arrays of 8 times its last-level cache.
Peak measure_gpu_bandwidth_peak(const Clock& clock, Device& device,
                                const StoppingOptions& stopping = BandwidthOptions::default_stopping());

/// On the CPU. The triad's rate is the peak; the copy's is among the points. Bytes are counted as STREAM counts them:
/// 24 for each element of the triad, 16 of the copy; that most caches read a line before they write it is not counted.
Peak measure_bandwidth_peak(const Clock& clock, const BandwidthOptions& options);

/// Reading alone: the sum of one array as long as those three together. On the CPU in 1, 2 and 4 streams per thread,
/// the best of which is measured again.
Peak measure_gpu_read_bandwidth_peak(const Clock& clock, Device& device,
                                     const StoppingOptions& stopping = BandwidthOptions::default_stopping());
Peak measure_read_bandwidth_peak(const Clock& clock, const BandwidthOptions& options);

}  // namespace transformeter
