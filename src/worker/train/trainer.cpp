// Losses stay on the device until the step is over.
#include "train/trainer.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "model/autocast.h"
#include "model/profile_scope.h"
#include "train/loss.h"

namespace transformeter {
namespace {

// Streams that depend on nothing but seed and place: a training that goes on after a break drops what it would have.
void seed_dropout(std::uint64_t seed, std::int64_t step, std::size_t micro_batch) {
  at::manual_seed(derive_seed(seed, fmt::format("dropout/{}/{}", step, micro_batch)));
}

}  // namespace

Trainer::Trainer(const Model& model, const Operators& operators, std::vector<TrainedWeight> weights,
                 TrainerOptions options)
    : model_(model),
      operators_(operators),
      weights_(std::move(weights)),
      options_(std::move(options)),
      optimizer_(make_optimizer(options_.optimizer, weights_)) {
  if (options_.autocast == c10::ScalarType::Half) loss_scale_.emplace();
}

at::Tensor Trainer::outputs(const MicroBatch& batch, bool has_dropout) const {
  const Autocast autocast(batch.inputs.device().type(), options_.autocast);
  ModelInputs inputs = batch.inputs;
  inputs.is_training = has_dropout;
  inputs.checkpoints_layers = options_.checkpoints_layers;
  inputs.needed_tokens_only = options_.needed_tokens_only;
  return spread(model_.forward(inputs, operators_), batch);
}

at::Tensor Trainer::forward(const MicroBatch& batch, double divisor) {
  const StageScope stage(ProfileStage::kForward);
  const Autocast autocast(batch.inputs.device().type(), options_.autocast);
  const at::Tensor output = outputs(batch, options_.has_dropout);
  output_type_ = output.scalar_type();
  const PhaseScope phase(ProfilePhase::kLoss);
  return loss_sum(options_.loss, output, batch.labels, options_.label_smoothing) / divisor;
}

StepResult Trainer::step(const std::vector<MicroBatch>& batches, const std::function<void(StepPhase)>& on_phase) {
  const auto tell = [&](StepPhase phase) {
    if (on_phase) on_phase(phase);
  };
  double labels = 0;
  for (const MicroBatch& batch : batches) labels += static_cast<double>(batch.labels.count);
  if (!(labels > 0)) throw Error(ErrorKind::kBadInput, "all labels of this step are ignored");
  const double divisor = batches.front().labels.are_summed() ? 1 : labels;
  forget_gradients(weights_);
  at::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (options_.has_dropout) seed_dropout(options_.seed, step_, i);
    const at::Tensor loss = forward(batches[i], divisor);
    tell(StepPhase::kForward);
    backward(loss);
    total = total.defined() ? total + loss.detach() : loss.detach();
    tell(StepPhase::kBackward);
  }
  const StepResult result = update(total);
  tell(StepPhase::kOptimizer);
  return result;
}

void Trainer::backward(const at::Tensor& loss) {
  const StageScope stage(ProfileStage::kBackward);
  (loss_scale_ ? loss * loss_scale_->value() : loss).backward();
}

StepResult Trainer::update(const at::Tensor& loss) {
  const StageScope stage(ProfileStage::kOptimizer);
  if (loss_scale_) scale_gradients(weights_, 1 / loss_scale_->value());
  const at::Tensor norm = gradient_norm(weights_);
  StepResult result;
  result.loss = loss.item<double>();
  result.gradient_norm = norm.item<double>();
  result.learning_rate = learning_rate_at(options_.schedule, step_);
  result.is_skipped = !std::isfinite(result.loss) || !std::isfinite(result.gradient_norm);
  if (loss_scale_) {
    result.loss_scale = loss_scale_->value();
    loss_scale_->update(!result.is_skipped);
  }
  if (!result.is_skipped) {
    if (options_.max_gradient_norm) clip_gradients(weights_, norm, *options_.max_gradient_norm);
    optimizer_->step(result.learning_rate);
  }
  ++step_;
  return result;
}

}  // namespace transformeter
