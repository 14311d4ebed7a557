// Gradients are computed in the type that the product was. In fp32 each conversion below gives back the same tensor.
#include "engine/trained_linear.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/kernel_trial.h"
#include "engine/widened_linear.h"
#include "machine/kept_products.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kSmallest = 16;
constexpr std::int64_t kMostRows = 2048;  // more would take memory, and hardly change which kernel is faster
constexpr std::array kParts{TrainingPart::kOutputs, TrainingPart::kInputGradient, TrainingPart::kWeightGradient};

constexpr c10::ScalarType kWide = c10::ScalarType::Float;

struct TrainedProduct : torch::autograd::Function<TrainedProduct> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& weight,
                          const std::optional<at::Tensor>& bias, const TrainingProducts& products,
                          c10::ScalarType type) {
    const at::Tensor narrow = input.to(type);
    const at::Tensor narrow_weight = weight.to(type);
    // What is read is needed for the gradient of the weight alone.
    context->save_for_backward({weight.requires_grad() ? narrow : at::Tensor(), weight});
    context->saved_data["type"] = type;
    context->saved_data["input_type"] = input.scalar_type();
    context->saved_data["bias_type"] = bias ? c10::IValue(bias->scalar_type()) : c10::IValue();
    context->saved_data["products"] = products.bits();
    const auto outputs = [&] {
      at::DimVector sizes(input.sizes());
      sizes.back() = weight.size(0);
      return products.outputs(as_rows(narrow), narrow_weight, bias ? bias->to(type) : at::Tensor()).view(sizes);
    };
    if (!products.widens(TrainingPart::kOutputs)) return outputs();
    const bool is_one_dnn = products.kernel(TrainingPart::kOutputs) == TrainingKernel::kWidenedOneDnn;
    RECORD_FUNCTION(operator_of(is_one_dnn ? WideProduct::kOneDnn : WideProduct::kLibTorch),
                    std::vector<c10::IValue>({narrow, narrow_weight}));
    return outputs();
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &input = saved[0], &weight = saved[1];
    const c10::ScalarType type = context->saved_data["type"].toScalarType();
    const c10::IValue bias_type = context->saved_data["bias_type"];
    const auto products = TrainingProducts::of_bits(context->saved_data["products"].toInt());
    const at::Tensor slopes = as_rows(of_outputs.front());
    const bool is_frozen = !context->needs_input_grad(1);
    const bool widens =
        products.widens(TrainingPart::kInputGradient) || (!is_frozen && products.widens(TrainingPart::kWeightGradient));
    const at::Tensor wide_slopes = widens ? slopes.to(kWide) : at::Tensor();  // once for both
    const auto slopes_of = [&](TrainingPart part) { return products.widens(part) ? wide_slopes : slopes; };
    variable_list gradients(5);
    if (context->needs_input_grad(0)) {
      at::DimVector sizes(of_outputs.front().sizes());
      sizes.back() = weight.size(1);
      gradients[0] = products
                         .input_gradient(slopes_of(TrainingPart::kInputGradient), weight.to(type),
                                         context->saved_data["input_type"].toScalarType())
                         .view(sizes);
    }
    if (!is_frozen) {
      gradients[1] =
          products.weight_gradient(slopes_of(TrainingPart::kWeightGradient), as_rows(input), weight.scalar_type());
    }
    if (!bias_type.isNone() && context->needs_input_grad(2)) {
      gradients[2] = slopes.sum({0}, false, kWide).to(bias_type.toScalarType());
    }
    return gradients;
  }
};

class TrainedLinear final : public LinearKernel {
 public:
  TrainedLinear(LinearWeights weights, std::shared_ptr<const TrainingProducts> products, c10::ScalarType type)
      : weights_(std::move(weights)), products_(std::move(products)), type_(type) {}

  at::Tensor forward(const at::Tensor& input) const override {
    const bool is_other = autocast_type(input.device().type()).value_or(input.scalar_type()) != type_;
    if (is_other || products_->are_plain()) return at::linear(input, weights_.weight, weights_.bias);
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    return TrainedProduct::apply(input, weights_.weight,
                                 weights_.bias.defined() ? std::optional(weights_.bias) : std::nullopt, *products_,
                                 type_);
  }

 private:
  LinearWeights weights_;
  std::shared_ptr<const TrainingProducts> products_;
  c10::ScalarType type_;
};

ProductSize size_of(const LinearWeights& weights, std::int64_t rows, TrainingPart part, c10::ScalarType type) {
  return {.inputs = weights.weight.size(1),
          .outputs = weights.weight.size(0),
          .has_bias = weights.bias.defined(),
          .threads = at::get_num_threads(),
          .uses = {{rows, std::string(name_of(part))}},
          .precision = type == kWide ? "fp32" : "bf16"};
}

// All kernels of one part, of the same inputs.
std::vector<KernelCandidate> candidates_for(const LinearWeights& weights, std::int64_t rows, TrainingPart part,
                                            const TrainingKernels& kernels) {
  const at::Tensor weight = weights.weight.detach();  // cast in each call, as in a step
  const at::Tensor bias = weights.bias.defined() ? weights.bias.detach().to(kernels.type) : at::Tensor();
  at::Tensor input, slopes;
  if (part != TrainingPart::kInputGradient) input = trial_operand(rows, weight.size(1), kernels.type);
  if (part != TrainingPart::kOutputs) slopes = trial_operand(rows, weight.size(0), kernels.type);
  std::vector<KernelCandidate> candidates;
  for (const TrainingKernel kernel : kernels.all) {
    const TrainingProducts products(kernel);
    candidates.push_back({name_of(kernel), [=, type = kernels.type] {
                            return std::function<at::Tensor()>([=] {
                              if (part == TrainingPart::kOutputs) return products.outputs(input, weight.to(type), bias);
                              return part == TrainingPart::kInputGradient
                                         ? products.input_gradient(slopes, weight.to(type), type)
                                         : products.weight_gradient(slopes, input, weight.scalar_type());
                            });
                          }});
  }
  return candidates;
}

std::optional<TrainingKernel> kernel_named(std::string_view name, const TrainingKernels& kernels) {
  const auto found = std::find_if(kernels.all.begin(), kernels.all.end(),
                                  [&](TrainingKernel kernel) { return name_of(kernel) == name; });
  return found == kernels.all.end() ? std::nullopt : std::optional(*found);
}

SettledProduct choose(const LinearWeights& weights, const ProductSize& size, TrainingPart part,
                      const TrainingKernels& kernels, const std::string& asked, const KeptProducts* kept) {
  SettledProduct product;
  product.choice.size = size;
  const bool is_small = std::min(size.inputs, size.outputs) < kSmallest;
  product.choice.kernel = name_of(is_small ? kernels.all.front() : kernels.one_dnn);
  if (is_small || asked == "onednn") return product;
  const ProductChoice* known = kept == nullptr || asked == "trial" ? nullptr : kept->find(size);
  if (known != nullptr && kernel_named(known->kernel, kernels)) return {*known, 0, true};
  return {try_product(size, candidates_for(weights, size.uses.front().rows, part, kernels), 0, system_meters())};
}

}  // namespace

TrainingKernels TrainingKernels::of(c10::ScalarType type, bool has_narrow) {
  using enum TrainingKernel;
  if (type == kWide) return {type, {kLinear, kOneDnn}, kOneDnn};
  if (has_narrow) return {type, {kLinear, kWidened, kWidenedOneDnn}, kLinear};
  return {type, {kWidened, kWidenedOneDnn}, kWidenedOneDnn};
}

std::shared_ptr<const LinearKernel> TrainedLinears::make(const LinearWeights& weights) const {
  auto products = std::make_shared<TrainingProducts>(kernels_.all.front());
  layers_.push_back({weights, products});
  return std::make_shared<TrainedLinear>(weights, std::move(products), kernels_.type);
}

std::vector<SettledProduct> TrainedLinears::settle(std::int64_t rows, const std::string& kernel,
                                                   KeptProducts* kept) const {
  const at::NoGradGuard no_gradient;
  rows = std::min(rows, kMostRows);
  std::vector<SettledProduct> products;
  std::map<ProductSize, std::size_t> places;
  for (const Layer& layer : layers_) {
    for (const TrainingPart part : kParts) {
      if (part == TrainingPart::kWeightGradient && !layer.weights.weight.requires_grad()) continue;  // frozen
      const ProductSize size = size_of(layer.weights, rows, part, kernels_.type);
      const auto [place, is_new] = places.try_emplace(size, products.size());
      if (is_new) products.push_back(choose(layer.weights, size, part, kernels_, kernel, kept));
      SettledProduct& product = products[place->second];
      ++product.layers;
      layer.products->use(part, *kernel_named(product.choice.kernel, kernels_));
    }
  }
  layers_.clear();
  return products;
}

}  // namespace transformeter
