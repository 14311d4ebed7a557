// Losses stay on the device until the step is over.
#include "train/trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>

#include <cmath>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

// Operators between its begin and its end take the precision that LibTorch's lists give them.
class Autocast {
 public:
  Autocast(bool enabled, c10::DeviceType device) : enabled_(enabled), device_(device) {
    if (!enabled_) return;
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!enabled_) return;
    // Weights cast within are let go of: the next step's are others.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
  c10::DeviceType device_;
};

}  // namespace

Trainer::Trainer(const Model& model, const Operators& operators, std::vector<TrainedWeight> weights,
                 TrainerOptions options)
    : model_(model),
      operators_(operators),
      weights_(std::move(weights)),
      options_(std::move(options)),
      optimizer_(make_optimizer(options_.optimizer, weights_)) {}

at::Tensor Trainer::accumulate(const MicroBatch& batch, double labels_of_step) const {
  at::Tensor loss;
  {
    const Autocast autocast(options_.autocast, batch.inputs.input_ids.device().type());
    const at::Tensor outputs = model_.forward(batch.inputs, operators_);
    loss = loss_sum(options_.task, outputs, batch.labels, options_.label_smoothing) / labels_of_step;
  }
  loss.backward();
  return loss.detach();
}

StepResult Trainer::step(const std::vector<MicroBatch>& batches) {
  double labels = 0;
  for (const MicroBatch& batch : batches) labels += static_cast<double>(batch.labels.count);
  if (!(labels > 0)) throw Error(ErrorKind::kBadInput, "no label of the step's batches counts");
  forget_gradients(weights_);
  at::Tensor loss;
  for (const MicroBatch& batch : batches) {
    const at::Tensor share = accumulate(batch, labels);
    loss = loss.defined() ? loss + share : share;
  }
  const at::Tensor norm = gradient_norm(weights_);
  StepResult result;
  result.loss = loss.item<double>();
  result.gradient_norm = norm.item<double>();
  result.learning_rate = learning_rate_at(options_.schedule, step_);
  result.is_skipped = !std::isfinite(result.loss) || !std::isfinite(result.gradient_norm);
  if (!result.is_skipped) {
    if (options_.max_gradient_norm) clip_gradients(weights_, norm, *options_.max_gradient_norm);
    optimizer_->step(result.learning_rate);
  }
  ++step_;
  return result;
}

}  // namespace transformeter
