// The progress of a fine-tuning as stored in a checkpoint, besides weights and optimizer state.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "train/loss_scale.h"

namespace transformeter {

struct TrainingProgress {
  std::int64_t micro_batches = 0;       // taken from the loader, over all epochs
  std::optional<double> best;           // headline of the best evaluation
  std::int64_t best_step = 0;           // where there is a best
  std::int64_t worse = 0;               // evaluations in a row that were no better
  bool is_over = false;                 // it ended early
  Json last_evaluation;                 // null: none yet
  double last_loss = 0;                 // in nats; 0 before the first step
  std::optional<LossScale> loss_scale;  // nothing where losses are not scaled
};

Json to_json(const TrainingProgress& progress);
/// Throws Json::exception for what to_json never writes.
TrainingProgress training_progress_from_json(const Json& json);

}  // namespace transformeter
