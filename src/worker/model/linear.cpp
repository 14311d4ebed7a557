// The plain form, and what fused calls are without fusion.
#include "model/linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include <utility>

#include "model/blocks.h"

namespace transformeter {
namespace {

class PlainLinear final : public LinearKernel {
 public:
  explicit PlainLinear(LinearWeights weights) : weights_(std::move(weights)) {}
  at::Tensor forward(const at::Tensor& input) const override {
    return at::linear(input, weights_.weight, weights_.bias);
  }

 private:
  LinearWeights weights_;
};

class PlainLinears final : public LinearFactory {
 public:
  std::shared_ptr<const LinearKernel> make(const LinearWeights& weights) const override {
    return std::make_shared<PlainLinear>(weights);
  }
};

}  // namespace

at::Tensor LinearKernel::activated(const at::Tensor& input, Activation activation) const {
  return activation_function(activation)(forward(input));
}

at::Tensor LinearKernel::added(const at::Tensor& input, const at::Tensor& residual) const {
  return forward(input) + residual;
}

LinearOperand LinearKernel::activated_for(const LinearKernel&, const at::Tensor& input, Activation activation) const {
  return {activated(input, activation), {}};
}

at::Tensor LinearKernel::added_to(const LinearOperand& operand, const at::Tensor& residual) const {
  return added(operand.values, residual);
}

std::shared_ptr<const LinearFactory> plain_linears() {
  return std::make_shared<PlainLinears>();
}

}  // namespace transformeter
