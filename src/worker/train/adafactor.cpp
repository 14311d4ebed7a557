// Composed weight by weight: ATen has no fused kernel of it.
#include "train/adafactor.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace transformeter {
namespace {

constexpr double kSquareEpsilon = 1e-30;
constexpr double kClipThreshold = 1;
constexpr double kDecayRate = -0.8;

class Adafactor final : public Optimizer {
 public:
  Adafactor(const OptimizerOptions& options, std::vector<TrainedWeight> weights)
      : options_(options), weights_(std::move(weights)) {
    for (const TrainedWeight& weight : weights_) moments_.push_back(zero_moments(weight.value));
  }

  std::vector<NamedTensor> state() const override {
    std::vector<NamedTensor> named{{"step", steps_}};
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const auto add = [&](const char* kind, const at::Tensor& moment) {
        if (moment.defined()) named.push_back({std::string(kind) + "." + weights_[i].name, moment});
      };
      add("exp_avg_sq_row", moments_[i].rows);
      add("exp_avg_sq_col", moments_[i].columns);
      add("exp_avg_sq", moments_[i].all);
    }
    return named;
  }

  void step(double learning_rate) override {
    const at::NoGradGuard guard;
    steps_.add_(1);
    const double decay = 1 - std::pow(static_cast<double>(steps_.item<std::int64_t>()), kDecayRate);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor gradient = weights_[i].value.grad();
      if (!gradient.defined()) continue;
      const double weight_decay = weights_[i].decays ? options_.weight_decay : 0;
      change(weights_[i].value, gradient.to(at::kFloat), moments_[i], {decay, learning_rate, weight_decay});
    }
  }

 private:
  // Of the squared gradient: means over rows and columns of a matrix, of a vector each.
  struct Moments {
    at::Tensor rows, columns, all;
  };
  struct Rates {
    double decay, learning, weight_decay;
  };

  static Moments zero_moments(const at::Tensor& weight) {
    const at::TensorOptions fp32 = weight.options().dtype(at::kFloat).requires_grad(false);
    if (weight.dim() < 2) return {{}, {}, at::zeros(weight.sizes(), fp32)};
    std::vector<std::int64_t> rows = weight.sizes().vec();
    rows.pop_back();
    std::vector<std::int64_t> columns = weight.sizes().vec();
    columns.erase(columns.end() - 2);
    return {at::zeros(rows, fp32), at::zeros(columns, fp32), {}};
  }

  static void decay_towards(at::Tensor& moment, const at::Tensor& value, double decay) {
    moment.mul_(decay).add_(value, 1 - decay);
  }

  // 1 ÷ √ of the second moment, times the gradient.
  static at::Tensor normalized(const at::Tensor& gradient, Moments& moments, double decay) {
    const at::Tensor square = gradient.square() + kSquareEpsilon;
    if (moments.all.defined()) {
      decay_towards(moments.all, square, decay);
      return moments.all.rsqrt() * gradient;
    }
    decay_towards(moments.rows, square.mean(-1), decay);
    decay_towards(moments.columns, square.mean(-2), decay);
    const at::Tensor row_factor = (moments.rows / moments.rows.mean(-1, true)).rsqrt().unsqueeze(-1);
    return row_factor * moments.columns.unsqueeze(-2).rsqrt() * gradient;
  }

  static void change(const at::Tensor& weight, const at::Tensor& gradient, Moments& moments, const Rates& rates) {
    at::Tensor update = normalized(gradient, moments, rates.decay);
    const at::Tensor root_mean_square = update.norm() / std::sqrt(static_cast<double>(update.numel()));
    update = update / (root_mean_square / kClipThreshold).clamp_min(1.0) * rates.learning;
    at::Tensor changed = weight.to(at::kFloat);
    if (rates.weight_decay != 0) changed = changed - rates.weight_decay * rates.learning * changed;
    weight.copy_(changed - update);
  }

  OptimizerOptions options_;
  std::vector<TrainedWeight> weights_;
  std::vector<Moments> moments_;
  at::Tensor steps_ = at::zeros({}, at::kLong);  // on the host, where the rate is computed
};

}  // namespace

std::unique_ptr<Optimizer> make_adafactor(const OptimizerOptions& options, std::vector<TrainedWeight> weights) {
  return std::make_unique<Adafactor>(options, std::move(weights));
}

}  // namespace transformeter
