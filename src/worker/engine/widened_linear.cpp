// Products of bf16 in fp32, for processors on which LibTorch's own take many times as long. Gradients come the same
// way.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <utility>
#include <vector>

#include "engine/training_products.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr c10::ScalarType kNarrow = c10::ScalarType::BFloat16;
constexpr c10::ScalarType kWide = c10::ScalarType::Float;

// The values that bf16 has, in fp32.
at::Tensor rounded(const at::Tensor& values) {
  return values.to(kNarrow).to(kWide);
}

struct WidenedProduct : torch::autograd::Function<WidenedProduct> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& weight,
                          const std::optional<at::Tensor>& bias, const TrainingProducts& products) {
    const at::Tensor narrow = input.to(kNarrow);
    const at::Tensor narrow_weight = weight.to(kNarrow);
    RECORD_FUNCTION("transformeter::widened_linear", std::vector<c10::IValue>({narrow, narrow_weight}));
    context->save_for_backward({narrow, weight, bias.value_or(at::Tensor())});
    context->saved_data["input_type"] = static_cast<std::int64_t>(input.scalar_type());
    context->saved_data["products"] = products.bits();
    const at::Tensor output =
        products.outputs(as_rows(narrow).to(kWide), narrow_weight.to(kWide), bias ? rounded(*bias) : at::Tensor());
    at::DimVector sizes(input.sizes());
    sizes.back() = weight.size(0);
    return output.to(kNarrow).view(sizes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &input = saved[0], &weight = saved[1], &bias = saved[2];
    const TrainingProducts products(context->saved_data["products"].toInt());
    const at::Tensor slopes = as_rows(of_outputs.front()).to(kWide);
    variable_list gradients(4);
    if (context->needs_input_grad(0)) {
      gradients[0] = products.input_gradient(slopes, rounded(weight))
                         .to(static_cast<c10::ScalarType>(context->saved_data["input_type"].toInt()))
                         .view(input.sizes());
    }
    if (context->needs_input_grad(1)) {
      gradients[1] = products.weight_gradient(slopes, as_rows(input).to(kWide)).to(weight.scalar_type());
    }
    if (bias.defined() && context->needs_input_grad(2)) gradients[2] = slopes.sum(0).to(bias.scalar_type());
    return gradients;
  }
};

class WidenedLinear final : public LinearKernel {
 public:
  WidenedLinear(LinearWeights weights, std::shared_ptr<const TrainingProducts> products)
      : weights_(std::move(weights)), products_(std::move(products)) {}

  at::Tensor forward(const at::Tensor& input) const override {
    if (autocast_type(input.device().type()).value_or(input.scalar_type()) != kNarrow) {
      return at::linear(input, weights_.weight, weights_.bias);
    }
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    return WidenedProduct::apply(input, weights_.weight,
                                 weights_.bias.defined() ? std::optional(weights_.bias) : std::nullopt, *products_);
  }

 private:
  LinearWeights weights_;
  std::shared_ptr<const TrainingProducts> products_;
};

class WidenedLinears final : public TrainingLinears {
  std::shared_ptr<const LinearKernel> make_with(const LinearWeights& weights,
                                                std::shared_ptr<const TrainingProducts> products) const override {
    return std::make_shared<WidenedLinear>(weights, std::move(products));
  }
};

}  // namespace

std::shared_ptr<const LinearFactory> widened_linears() {
  return std::make_shared<WidenedLinears>();
}

}  // namespace transformeter
