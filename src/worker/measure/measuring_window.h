// The measuring window of every scenario: the loop, with the meters of time, memory and noise around it.
#pragma once

#include <vector>

#include "base/clock.h"
#include "device/device.h"
#include "measure/measuring_loop.h"
#include "schema/messages.h"

namespace transformeter {

/// What is measured, and what the harness costs: the same sampling around nothing.
struct WindowWork {
  UnitSampler& sampler;
  UnitSampler& null_sampler;
  std::size_t null_samples = 2000;
  std::size_t slice_samples = 2;  // at least so many in each of several slices
};

/// The case's device, how it was prepared (for whose processor time is not background load), and the clock.
struct WindowContext {
  Device& device;
  const PrepareRequest& prepared;
  const Clock& clock;
  // Recorded work allocates nothing, and another library not by LibTorch: the allocator's peak would say too little.
  bool hides_memory = false;
};

/// Scalars and stop reason; samples go to `sink` at once.
Measured measure_window(const WindowWork& work, const WindowContext& place, const MeasureRequest& request,
                        const BlockSink& sink);

/// Makes the sampler count CPU time where the device is the CPU; on any other, processors wait.
void count_cpu_time(UnitSampler& sampler, const Device& device, const Clock& clock);

/// Starts relative to the end of the samples, so that what came before measuring is negative. The first series, which
/// may not be empty, ends last.
std::vector<Series> before_measuring(std::vector<Series> samples);

/// What a further `warm` answers: two units, or one that takes a quarter of a second, flagged as warm-up.
Warmed warmed_again(UnitSampler& sampler);

/// Start of the process, as the command saw it, to `first_result`.
Series cold_start(const PrepareRequest& prepared, Clock::TimePoint first_result);

}  // namespace transformeter
