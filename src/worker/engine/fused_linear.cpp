// Plain weights, with what follows a product written over its output.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include <utility>

#include "engine/activate.h"
#include "engine/linear_factories.h"

namespace transformeter {
namespace {

class FusedPlainLinear final : public LinearKernel {
 public:
  explicit FusedPlainLinear(LinearWeights weights) : weights_(std::move(weights)) {}
  at::Tensor forward(const at::Tensor& input) const override {
    return at::linear(input, weights_.weight, weights_.bias);
  }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    at::Tensor output = forward(input);
    activate_in_place(output, activation);
    return output;
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    at::Tensor output = forward(input);
    output.add_(residual);
    return output;
  }

 private:
  LinearWeights weights_;
};

class FusedPlainLinears final : public LinearFactory {
 public:
  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    return std::make_shared<FusedPlainLinear>(weights);
  }
  bool joins_products() const override { return true; }
};

}  // namespace

std::shared_ptr<const LinearFactory> fused_plain_linears() {
  return std::make_shared<FusedPlainLinears>();
}

}  // namespace transformeter
