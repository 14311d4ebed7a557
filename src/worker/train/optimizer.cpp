// All weights of a kind in one call.
#include "train/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "base/error.h"
#include "train/adafactor.h"

namespace transformeter {
namespace {

// What one fused call takes: the weights of a group that have gradients, and their state in the same order.
struct Arguments {
  std::vector<at::Tensor> weights, gradients;
  std::vector<std::vector<at::Tensor>> state;
};

// All weights in two calls, those that decay and the others, as two groups of torch.optim are.
class FusedOptimizer : public Optimizer {
 public:
  FusedOptimizer(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : options_(options), weights_(std::move(weights)) {}

  std::vector<NamedTensor> state() const override {
    std::vector<NamedTensor> named;
    for (const Kind& kind : state_) {
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        named.push_back({kind.name + "." + weights_[i].name, kind.tensors[i]});
      }
    }
    return named;
  }

  void step(double learning_rate) override {
    const at::NoGradGuard guard;
    for (const bool decays : {true, false}) {
      const Arguments arguments = arguments_of(decays);
      if (!arguments.weights.empty()) change(arguments, learning_rate, decays ? options_.weight_decay : 0);
    }
  }

 protected:
  virtual void change(const Arguments& arguments, double learning_rate, double decay) const = 0;

  // A tensor of zeros for each weight; `like_weights`: of its shape and type, else one number in fp32.
  void add_state(std::string name, bool like_weights) {
    std::vector<at::Tensor>& tensors = state_.emplace_back(Kind{std::move(name), {}}).tensors;
    for (const TrainedWeight& weight : weights_) {
      tensors.push_back(like_weights ? at::zeros_like(weight.value)
                                     : at::zeros({}, weight.value.options().dtype(at::kFloat)));
    }
  }
  const OptimizerOptions& options() const { return options_; }

 private:
  struct Kind {
    std::string name;
    std::vector<at::Tensor> tensors;  // for each weight
  };

  Arguments arguments_of(bool decays) const {
    Arguments arguments;
    arguments.state.resize(state_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor gradient = weights_[i].value.grad();
      if (weights_[i].decays != decays || !gradient.defined()) continue;
      arguments.weights.push_back(weights_[i].value);
      arguments.gradients.push_back(gradient);
      for (std::size_t kind = 0; kind < state_.size(); ++kind) arguments.state[kind].push_back(state_[kind].tensors[i]);
    }
    return arguments;
  }

  OptimizerOptions options_;
  std::vector<TrainedWeight> weights_;
  std::vector<Kind> state_;
};

class Adam final : public FusedOptimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : FusedOptimizer(options, std::move(weights)) {
    add_state("exp_avg", true);
    add_state("exp_avg_sq", true);
    add_state("step", false);
  }

 private:
  void change(const Arguments& arguments, double learning_rate, double decay) const override {
    const auto& [weights, gradients, state] = arguments;
    at::_foreach_add_(state[2], 1);
    const OptimizerOptions& o = options();
    if (o.kind == "adam") {
      at::_fused_adam_(weights, gradients, state[0], state[1], {}, state[2], learning_rate, o.beta1, o.beta2, decay,
                       o.epsilon, false, false);
    } else {
      at::_fused_adamw_(weights, gradients, state[0], state[1], {}, state[2], learning_rate, o.beta1, o.beta2, decay,
                        o.epsilon, false, false);
    }
  }
};

class Sgd final : public FusedOptimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : FusedOptimizer(options, std::move(weights)) {
    add_state("momentum", true);
  }

 private:
  // A buffer of zeros is the same as none: momentum · 0 + g, as the first step of torch.optim.SGD sets it.
  void change(const Arguments& arguments, double learning_rate, double decay) const override {
    at::_fused_sgd_(arguments.weights, arguments.gradients, arguments.state[0], decay, options().momentum,
                    learning_rate, 0, false, false, false);
  }
};

std::vector<at::Tensor> gradients_of(const std::vector<TrainedWeight>& weights) {
  std::vector<at::Tensor> gradients;
  for (const TrainedWeight& weight : weights) {
    if (at::Tensor gradient = weight.value.grad(); gradient.defined()) gradients.push_back(std::move(gradient));
  }
  return gradients;
}

}  // namespace

const std::vector<std::string>& optimizer_kinds() {
  static const std::vector<std::string> kKinds{"adamw", "adam", "sgd", "adafactor"};
  return kKinds;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<TrainedWeight> weights) {
  if (options.kind == "adamw" || options.kind == "adam") return std::make_unique<Adam>(options, std::move(weights));
  if (options.kind == "sgd") return std::make_unique<Sgd>(options, std::move(weights));
  if (options.kind == "adafactor") return make_adafactor(options, std::move(weights));
  throw unknown_value("optimizer", options.kind, optimizer_kinds());
}

std::int64_t state_bytes(const Optimizer& optimizer) {
  std::int64_t bytes = 0;
  for (const NamedTensor& tensor : optimizer.state()) bytes += static_cast<std::int64_t>(tensor.value.nbytes());
  return bytes;
}

at::Tensor gradient_norm(const std::vector<TrainedWeight>& weights) {
  const at::NoGradGuard guard;
  const std::vector<at::Tensor> gradients = gradients_of(weights);
  if (gradients.empty()) return at::zeros({}, at::kFloat);
  return at::stack(at::_foreach_norm(gradients, 2, at::kFloat)).norm();
}

void clip_gradients(const std::vector<TrainedWeight>& weights, const at::Tensor& norm, double most) {
  const at::NoGradGuard guard;
  const std::vector<at::Tensor> gradients = gradients_of(weights);
  if (gradients.empty()) return;
  const at::Tensor factor = (most / (norm + 1e-6)).clamp_max(1.0);
  at::_foreach_mul_(gradients, factor.to(gradients.front().scalar_type()));
}

void scale_gradients(const std::vector<TrainedWeight>& weights, double factor) {
  const at::NoGradGuard guard;
  const std::vector<at::Tensor> gradients = gradients_of(weights);
  if (!gradients.empty()) at::_foreach_mul_(gradients, factor);
}

void forget_gradients(const std::vector<TrainedWeight>& weights) {
  for (const TrainedWeight& weight : weights) weight.value.mutable_grad().reset();
}

}  // namespace transformeter
