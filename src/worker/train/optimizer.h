// Optimizers. Their state is on the device of the weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/named_tensor.h"

namespace transformeter {

struct OptimizerOptions {
  std::string kind = "adamw";  // one of optimizer_kinds()
  double beta1 = 0.9;          // adamw, adam
  double beta2 = 0.999;        // adamw, adam
  double epsilon = 1e-8;       // adamw, adam
  double weight_decay = 0;  // of the weights that decay; decoupled, but for sgd and adam, where it joins the gradient
  double momentum = 0.9;    // sgd
};

/// "adamw", "adam", "sgd", "adafactor".
const std::vector<std::string>& optimizer_kinds();

/// A trainable weight: a leaf tensor that accumulates its gradient.
struct TrainedWeight {
  std::string name;
  at::Tensor value;
  bool decays = true;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Updates every weight by its gradient. A weight without a gradient is unchanged.
  virtual void step(double learning_rate) = 0;
  /// The optimizer state, sharing memory: copying into these tensors restores it. Named as in torch.optim:
  /// "exp_avg.WEIGHT", "exp_avg_sq.WEIGHT" and "step.WEIGHT" of adamw and adam, "momentum.WEIGHT" of sgd; of adafactor
  /// "exp_avg_sq_row.WEIGHT" and "exp_avg_sq_col.WEIGHT" for a matrix, "exp_avg_sq.WEIGHT" for a vector, and one
  /// "step".
  virtual std::vector<NamedTensor> state() const = 0;
};

/// Of the optimizer's state.
std::int64_t state_bytes(const Optimizer& optimizer);

/// The weights are shared with the model. Fused kernels where ATen has them: adamw, adam and sgd are one call for all
/// weights; adafactor is composed. Throws Error(kBadInput) for another kind.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<TrainedWeight> weights);

/// √(Σ over all gradients g²), as a number in fp32 on the weights' device.
at::Tensor gradient_norm(const std::vector<TrainedWeight>& weights);
/// Scales every gradient by min(1, most / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_.
void clip_gradients(const std::vector<TrainedWeight>& weights, const at::Tensor& norm, double most);
void scale_gradients(const std::vector<TrainedWeight>& weights, double factor);
/// Frees the gradients.
void forget_gradients(const std::vector<TrainedWeight>& weights);

}  // namespace transformeter
