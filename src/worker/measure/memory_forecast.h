// Forecasts the memory of training steps.
#pragma once

#include <array>
#include <optional>

#include "measure/training.h"
#include "schema/messages.h"
#include "spec/training_memory.h"

namespace transformeter {

/// Why a case has no forecast of its memory.
inline constexpr const char* kNoMemoryFormula = "no memory formula for this model, engine or device";

/// Of a training that is not loaded, as below. Where trials are still to choose what products compute in, the larger of
/// what either takes.
std::optional<StepMemory> forecast_step(const Case& request, const ModelConfig& config, const ComputedRows& rows);

/// Nothing where there is no formula: on a GPU, and as forecast_step_memory says.
std::optional<StepMemory> forecast_memory(const Training& training, const ComputedRows& rows);

/// Of all micro-batches those that may need the most: with the most tokens, with the most pairs of them, and with the
/// most target tokens, each of which has a number for every word.
class LargestRows {
 public:
  void look_at(const ComputedRows& rows);
  /// The last has no rows if no micro-batch has targets.
  const std::array<ComputedRows, 3>& candidates() const { return candidates_; }

 private:
  std::array<ComputedRows, 3> candidates_;
  std::array<double, 3> most_{};
};

/// Adds the series peak_allocated_forecast, and what docs/results.md says of effective.memory_forecast: the peak, and
/// that of the same step with gradient checkpointing, and from half the rows with twice the accumulation; or the reason
/// why there is none.
void add_forecast(const Training& training, const LargestRows& largest, Measured& measured);

}  // namespace transformeter
