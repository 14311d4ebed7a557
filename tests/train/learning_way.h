// How steps are computed, which must not show in their results.
#pragma once

#include <memory>

#include "engine/operators.h"
#include "engine/training_operators.h"
#include "train/trainer.h"

namespace transformeter {

struct LearningWay {
  bool checkpoints_layers = false;
  bool is_fused = false;  // with the needed tokens alone, and products of bf16 as where a processor has none
};

inline std::unique_ptr<Operators> operators_of(LearningWay way) {
  return way.is_fused ? make_training_operators({.fused = true}) : make_operators("eager");
}

inline void set_way(TrainerOptions& options, LearningWay way) {
  options.checkpoints_layers = way.checkpoints_layers;
  options.needed_tokens_only = way.is_fused;
}

/// Of the curves that scripts/references write beside checkpoints: 20 steps of AdamW, clipped to 1.
inline TrainerOptions curve_options(LossKind loss, double learning_rate, LearningWay way) {
  TrainerOptions options;
  options.loss = loss;
  set_way(options, way);
  options.max_gradient_norm = 1;
  options.schedule = {"constant", learning_rate, 0, 20};
  options.optimizer.kind = "adamw";
  options.optimizer.weight_decay = 0.01;
  return options;
}

}  // namespace transformeter
