// The scenario `batch`: one batch after another from a cycle, each timed on its own, until the stopping rule holds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenario/sampler.h"
#include "stats/stopping_rule.h"

namespace transformeter {

struct BatchScenarioOptions {
  StoppingOptions stopping;
  double block_interval_s = 1.0;  // at least this long between two blocks handed out
};

/// Called between samples with the samples since the last call; its time is not part of any sample.
using BlockSink = std::function<void(const Series&)>;

/// Takes samples over the sampler's units in order, again and again, and returns why it stopped.
std::string measure_batches(Sampler& sampler, const Clock& clock, const BatchScenarioOptions& options,
                            const BlockSink& sink);

/// Mean cost of one sample when the work is nothing: what the harness adds (measurement rule 23).
double measure_harness_cost(const Clock& clock, const StoppingOptions& stopping);

}  // namespace transformeter
