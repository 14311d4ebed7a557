// One step of a training: micro-batches forward and backward, then the optimizer.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "train/loss.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace transformeter {

struct TrainerOptions {
  std::string task;
  bool autocast = false;  // products in bf16, weights and the rest in fp32
  double label_smoothing = 0;
  std::optional<double> max_gradient_norm = 1.0;  // nothing: gradients are not clipped
  Schedule schedule;
  OptimizerOptions optimizer;
};

/// What goes forward at a time. Labels on the tokens' device.
struct MicroBatch {
  ModelInputs inputs;
  Labels labels;
};

struct StepResult {
  double loss = 0;           // mean over all labels of the step, in nats
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  bool is_skipped = false;  // a loss or gradient that is not finite changes no weight
};

class Trainer {
 public:
  /// The model computes with `weights`; model and operators must outlive the trainer.
  Trainer(const Model& model, const Operators& operators, std::vector<TrainedWeight> weights, TrainerOptions options);

  /// The gradient of the mean over all labels of all micro-batches, whichever of them they stand in: several
  /// micro-batches equal one batch of all. Throws Error(kBadInput) where no label counts.
  StepResult step(const std::vector<MicroBatch>& batches);

  /// Skipped ones count: the schedule goes by it.
  std::int64_t steps_taken() const { return step_; }
  /// As if `steps` had been taken; weights and the optimizer's state are the caller's to restore.
  void continue_from(std::int64_t steps) { step_ = steps; }
  const Optimizer& optimizer() const { return *optimizer_; }

 private:
  /// Adds a micro-batch's share to the gradients; returns its share of the loss.
  at::Tensor accumulate(const MicroBatch& batch, double labels_of_step) const;

  const Model& model_;
  const Operators& operators_;
  std::vector<TrainedWeight> weights_;
  TrainerOptions options_;
  std::unique_ptr<Optimizer> optimizer_;
  std::int64_t step_ = 0;
};

}  // namespace transformeter
