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

#include <array>
#include <utility>

#include "base/error.h"
#include "train/adafactor.h"

namespace transformeter {
namespace {

// What one fused call takes: weights that have gradients, with their state in the same order.
struct Arguments {
  std::vector<at::Tensor> weights, gradients, first, second, steps;
};

// Weights that decay and those that do not are two calls, as two groups of torch.optim are.
class Adam final : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : options_(options), weights_(std::move(weights)) {
    for (const TrainedWeight& weight : weights_) {
      average_.push_back(at::zeros_like(weight.value));
      average_square_.push_back(at::zeros_like(weight.value));
      steps_.push_back(at::zeros({}, weight.value.options().dtype(at::kFloat)));
    }
  }

  void step(double learning_rate) override {
    const at::NoGradGuard guard;
    for (const bool decays : {true, false}) {
      const Arguments arguments = arguments_of(decays);
      if (arguments.weights.empty()) continue;
      at::_foreach_add_(arguments.steps, 1);
      const auto call = options_.kind == "adam" ? &fused_adam : &fused_adamw;
      call(arguments, learning_rate, options_, decays ? options_.weight_decay : 0);
    }
  }

  std::map<std::string, at::Tensor> state() const override {
    std::map<std::string, at::Tensor> state;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      state["exp_avg." + weights_[i].name] = average_[i];
      state["exp_avg_sq." + weights_[i].name] = average_square_[i];
      state["step." + weights_[i].name] = steps_[i];
    }
    return state;
  }

 private:
  Arguments arguments_of(bool decays) const {
    Arguments arguments;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor gradient = weights_[i].value.grad();
      if (weights_[i].decays != decays || !gradient.defined()) continue;
      arguments.weights.push_back(weights_[i].value);
      arguments.gradients.push_back(gradient);
      arguments.first.push_back(average_[i]);
      arguments.second.push_back(average_square_[i]);
      arguments.steps.push_back(steps_[i]);
    }
    return arguments;
  }

  static void fused_adamw(const Arguments& a, double rate, const OptimizerOptions& options, double decay) {
    at::_fused_adamw_(a.weights, a.gradients, a.first, a.second, {}, a.steps, rate, options.beta1, options.beta2, decay,
                      options.epsilon, false, false);
  }
  static void fused_adam(const Arguments& a, double rate, const OptimizerOptions& options, double decay) {
    at::_fused_adam_(a.weights, a.gradients, a.first, a.second, {}, a.steps, rate, options.beta1, options.beta2, decay,
                     options.epsilon, false, false);
  }

  OptimizerOptions options_;
  std::vector<TrainedWeight> weights_;
  std::vector<at::Tensor> average_, average_square_, steps_;
};

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : options_(options), weights_(std::move(weights)) {
    for (const TrainedWeight& weight : weights_) momentum_.push_back(at::zeros_like(weight.value));
  }

  // A buffer of zeros is the same as none: momentum · 0 + g, as the first step of torch.optim.SGD sets it.
  void step(double learning_rate) override {
    const at::NoGradGuard guard;
    for (const bool decays : {true, false}) {
      Arguments arguments;
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        const at::Tensor gradient = weights_[i].value.grad();
        if (weights_[i].decays != decays || !gradient.defined()) continue;
        arguments.weights.push_back(weights_[i].value);
        arguments.gradients.push_back(gradient);
        arguments.first.push_back(momentum_[i]);
      }
      if (arguments.weights.empty()) continue;
      at::_fused_sgd_(arguments.weights, arguments.gradients, arguments.first, decays ? options_.weight_decay : 0,
                      options_.momentum, learning_rate, 0, false, false, false);
    }
  }

  std::map<std::string, at::Tensor> state() const override {
    std::map<std::string, at::Tensor> state;
    for (std::size_t i = 0; i < weights_.size(); ++i) state["momentum." + weights_[i].name] = momentum_[i];
    return state;
  }

 private:
  OptimizerOptions options_;
  std::vector<TrainedWeight> weights_;
  std::vector<at::Tensor> momentum_;
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

std::int64_t Optimizer::state_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : state()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<TrainedWeight> weights) {
  if (options.kind == "adamw" || options.kind == "adam") return std::make_unique<Adam>(options, std::move(weights));
  if (options.kind == "sgd") return std::make_unique<Sgd>(options, std::move(weights));
  if (options.kind == "adafactor") return make_adafactor(options, std::move(weights));
  throw unknown_value("optimizer", options.kind, optimizer_kinds());
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

void forget_gradients(const std::vector<TrainedWeight>& weights) {
  for (const TrainedWeight& weight : weights) weight.value.mutable_grad().reset();
}

}  // namespace transformeter
