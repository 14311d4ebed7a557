// Block by block, so that what is wide for a moment stays small: of models with long vocabularies as of long batches.
#include "engine/widened_linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/activate.h"
#include "engine/one_dnn_activation.h"
#include "engine/one_dnn_linear.h"

namespace transformeter {
namespace {

constexpr std::int64_t kRows = 1024;        // of inputs; with fewer, products get slower
constexpr std::int64_t kWeights = 4 << 20;  // elements
constexpr c10::ScalarType kFloat = c10::ScalarType::Float;

std::int64_t outputs_at_once(std::int64_t inputs) {
  return std::max<std::int64_t>(1, kWeights / inputs);
}

class WidenedLinear final : public LinearKernel {
 public:
  WidenedLinear(const LinearWeights& weights, WideProduct product, bool fused)
      : weight_(weights.weight),
        bias_(weights.bias.defined() ? weights.bias.to(kFloat) : at::Tensor()),
        product_(product),
        fused_(fused) {}

  at::Tensor forward(const at::Tensor& input) const override { return compute(input, {}, {}); }
  at::Tensor activated(const at::Tensor& input, Activation activation) const override {
    // What LibTorch composes of several tensors is smaller in bf16.
    const bool is_one_step = fused_ && one_dnn_activation(activation);
    return is_one_step ? compute(input, activation, {}) : LinearKernel::activated(input, activation);
  }
  at::Tensor added(const at::Tensor& input, const at::Tensor& residual) const override {
    return fused_ ? compute(input, {}, residual) : LinearKernel::added(input, residual);
  }

 private:
  at::Tensor compute(const at::Tensor& input, std::optional<Activation> activation, const at::Tensor& residual) const {
    RECORD_FUNCTION(operator_of(product_), std::vector<c10::IValue>({input, weight_}));
    std::vector<std::int64_t> shape = input.sizes().vec();
    shape.back() = weight_.size(0);
    at::Tensor output = at::empty(shape, input.options());
    const at::Tensor inputs = input.reshape({-1, input.size(-1)});
    const at::Tensor outputs = output.view({-1, output.size(-1)});
    const at::Tensor residuals = residual.defined() ? residual.reshape(outputs.sizes()) : residual;
    const std::int64_t step = outputs_at_once(weight_.size(1));
    for (std::int64_t begin = 0; begin < weight_.size(0); begin += step) {
      const std::int64_t end = std::min(begin + step, weight_.size(0));
      const at::Tensor weight = weight_.slice(0, begin, end).to(kFloat);
      const at::Tensor bias = bias_.defined() ? bias_.slice(0, begin, end) : bias_;
      for (std::int64_t row = 0; row < inputs.size(0); row += kRows) {
        const auto block = [&](const at::Tensor& all) { return all.slice(0, row, row + kRows); };
        at::Tensor wide = multiply(block(inputs).to(kFloat), weight, bias);
        if (residuals.defined()) wide.add_(block(residuals).slice(1, begin, end));
        if (activation) activate_in_place(wide, *activation);
        block(outputs).slice(1, begin, end).copy_(wide);
      }
    }
    return output;
  }

  at::Tensor multiply(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const {
    if (product_ == WideProduct::kLibTorch) return at::linear(input, weight, bias);
    return one_dnn_linear(input, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  }

  at::Tensor weight_;  // [out, in], bf16
  at::Tensor bias_;    // [out], fp32, or undefined
  WideProduct product_;
  bool fused_;
};

}  // namespace

std::shared_ptr<const LinearKernel> widened_linear(const LinearWeights& weights, WideProduct product, bool fused) {
  return std::make_shared<WidenedLinear>(weights, product, fused);
}

double widened_scratch(double rows, double inputs, double outputs) {
  const double rows_at_once = std::min(rows, static_cast<double>(kRows));
  const double at_once = std::min(outputs, static_cast<double>(outputs_at_once(static_cast<std::int64_t>(inputs))));
  return 4 * (at_once * inputs + rows_at_once * (inputs + at_once));
}

}  // namespace transformeter
