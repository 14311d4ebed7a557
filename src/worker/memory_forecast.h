// What a training's steps should hold in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json.h"
#include "spec/training_memory.h"
#include "worker/training.h"

namespace transformeter {

/// Of micro-batches whose rows are computed with these lengths. Nothing where there is no formula: on a GPU, and as
/// forecast_step_memory says.
std::optional<StepMemory> forecast_memory(const Training& training, const std::vector<std::int64_t>& row_lengths);

/// The peaks, in bytes, of the same step otherwise: "gradient_checkpointing" with it on, "accumulation_doubled" from
/// batches of half as many rows. Empty where there is no formula; without what is so already, or cannot be.
Json forecast_alternatives(const Training& training, const std::vector<std::int64_t>& row_lengths);

}  // namespace transformeter
