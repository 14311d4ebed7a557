// One step of a training: micro-batches forward and backward, then the optimizer.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "train/loss_scale.h"
#include "train/micro_batch.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace transformeter {

struct TrainerOptions {
  LossKind loss = LossKind::kLabels;
  std::optional<c10::ScalarType> autocast;  // of products, weights and the rest in fp32; fp16 scales the loss
  bool has_dropout = false;                 // as the model's configuration says
  bool checkpoints_layers = false;          // gradient checkpointing
  bool needed_tokens_only = false;          // the last layer leaves out what no output depends on
  double label_smoothing = 0;
  std::optional<double> max_gradient_norm = 1.0;  // nothing: gradients are not clipped
  Schedule schedule;
  OptimizerOptions optimizer;
  std::uint64_t seed = 0;  // of dropout: each micro-batch of each step has its own stream
};

struct StepResult {
  double loss = 0;           // mean over all labels of the step, or their sum (Labels::are_summed), in nats
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  bool is_skipped = false;           // a loss or gradient that is not finite changes no weight
  std::optional<double> loss_scale;  // of this step; nothing where losses are not scaled
};

/// The phases of a step in order; forward and backward occur once per micro-batch.
enum class StepPhase { kForward, kBackward, kOptimizer };

class Trainer {
 public:
  /// The model computes with `weights`; model and operators must outlive the trainer.
  Trainer(const Model& model, const Operators& operators, std::vector<TrainedWeight> weights, TrainerOptions options);

  /// The gradient of the mean over all labels of all micro-batches, or of their sum (Labels::are_summed), whichever of
  /// them they stand in: several micro-batches equal one batch of all. `on_phase` is told whenever a part is over, as
  /// far as the host goes. Throws Error(kBadInput) where no label counts.
  StepResult step(const std::vector<MicroBatch>& batches, const std::function<void(StepPhase)>& on_phase = {});

  /// The model's outputs for a micro-batch as a step computes them, but for dropout, and as its labels want them.
  at::Tensor outputs(const MicroBatch& batch) const { return outputs(batch, false); }

  /// Includes skipped steps, since the schedule counts them.
  std::int64_t steps_taken() const { return step_; }
  /// Continues after `steps` steps; the caller restores weights and optimizer state.
  void continue_from(std::int64_t steps) { step_ = steps; }
  const Optimizer& optimizer() const { return *optimizer_; }
  /// Nothing where losses are not scaled.
  const std::optional<LossScale>& loss_scale() const { return loss_scale_; }
  /// As it was when a training was interrupted; only where losses are scaled.
  void restore_loss_scale(const LossScale& scale) { loss_scale_ = scale; }
  /// In which the model's outputs came: what automatic casting makes of products. Nothing before the first step.
  std::optional<c10::ScalarType> output_type() const { return output_type_; }

 private:
  at::Tensor outputs(const MicroBatch& batch, bool has_dropout) const;
  /// A micro-batch's share of the loss, with what its gradients need.
  at::Tensor forward(const MicroBatch& batch, double divisor);
  void backward(const at::Tensor& loss);
  StepResult update(const at::Tensor& loss);

  const Model& model_;
  const Operators& operators_;
  std::vector<TrainedWeight> weights_;
  TrainerOptions options_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<LossScale> loss_scale_;
  std::optional<c10::ScalarType> output_type_;
  std::int64_t step_ = 0;
};

}  // namespace transformeter
