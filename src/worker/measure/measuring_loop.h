// The loop of the scenarios that offer one unit after another, each timed on its own, until the stopping rule holds:
// batches from a cycle, or requests.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measure/unit_sampler.h"
#include "stats/stopping_rule.h"

namespace transformeter {

struct MeasuringOptions {
  StoppingOptions stopping;
  double block_interval_s = 1.0;  // at least this long between two blocks handed out
};

/// Called between samples with the samples since the last call; its time is not part of any sample.
using BlockSink = std::function<void(const std::vector<Series>&)>;

/// Takes samples over the sampler's units in order, again and again, and returns why it stopped.
std::string measure_units(UnitSampler& sampler, const Clock& clock, const MeasuringOptions& options,
                          const BlockSink& sink);

/// Mean cost of one of `samples` samples when the work is nothing, which is what `null_work` does: what the harness
/// adds (measurement rule 23). Of a device that works behind the host's back the median time of setting its timers, of
/// training steps the median of a step that does nothing.
double measure_harness_cost(UnitSampler& null_work, const Clock& clock, const StoppingOptions& stopping,
                            std::size_t samples);

}  // namespace transformeter
