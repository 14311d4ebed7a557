// Products of fp32 in training, each part by its own kernel. Products of other types are LibTorch's.
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <utility>

#include "engine/training_products.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct TrainedProduct : torch::autograd::Function<TrainedProduct> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& weight,
                          const std::optional<at::Tensor>& bias, const TrainingProducts& products) {
    context->save_for_backward({input, weight});
    context->saved_data["products"] = products.bits();
    context->saved_data["has_bias"] = bias.has_value();
    at::DimVector sizes(input.sizes());
    sizes.back() = weight.size(0);
    return products.outputs(as_rows(input), weight, bias.value_or(at::Tensor())).view(sizes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &input = saved[0], &weight = saved[1];
    const TrainingProducts products(context->saved_data["products"].toInt());
    const at::Tensor slopes = as_rows(of_outputs.front());
    variable_list gradients(4);
    if (context->needs_input_grad(0)) gradients[0] = products.input_gradient(slopes, weight).view(input.sizes());
    if (context->needs_input_grad(1)) gradients[1] = products.weight_gradient(slopes, as_rows(input));
    const bool has_bias = context->saved_data["has_bias"].toBool();
    if (has_bias && context->needs_input_grad(2)) gradients[2] = slopes.sum(0);
    return gradients;
  }
};

class TrainedLinear final : public LinearKernel {
 public:
  TrainedLinear(LinearWeights weights, std::shared_ptr<const TrainingProducts> products)
      : weights_(std::move(weights)), products_(std::move(products)) {}

  at::Tensor forward(const at::Tensor& input) const override {
    if (autocast_type(input.device().type()).value_or(input.scalar_type()) != at::kFloat) {
      return at::linear(input, weights_.weight, weights_.bias);
    }
    return TrainedProduct::apply(input, weights_.weight,
                                 weights_.bias.defined() ? std::optional(weights_.bias) : std::nullopt, *products_);
  }

 private:
  LinearWeights weights_;
  std::shared_ptr<const TrainingProducts> products_;
};

class TrainedLinears final : public TrainingLinears {
  std::shared_ptr<const LinearKernel> make_with(const LinearWeights& weights,
                                                std::shared_ptr<const TrainingProducts> products) const override {
    return std::make_shared<TrainedLinear>(weights, std::move(products));
  }
};

}  // namespace

std::shared_ptr<const LinearFactory> trained_linears() {
  return std::make_shared<TrainedLinears>();
}

}  // namespace transformeter
