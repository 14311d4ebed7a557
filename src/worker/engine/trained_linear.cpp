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
#include "machine/kept_products.h"
#include "model/autocast.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kSmallest = 16;
constexpr std::int64_t kMostRows = 2048;  // more would take memory, and hardly change which kernel is faster
constexpr std::string_view kPlain = "linear";
constexpr std::string_view kOneDnn = "onednn";
constexpr std::array kParts{TrainingPart::kOutputs, TrainingPart::kInputGradient, TrainingPart::kWeightGradient};

// What products are computed in.
constexpr c10::ScalarType kWide = c10::ScalarType::Float;

// The values that the type has, in fp32.
at::Tensor rounded(const at::Tensor& values, c10::ScalarType type) {
  return values.to(type).to(kWide);
}

struct TrainedProduct : torch::autograd::Function<TrainedProduct> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& weight,
                          const std::optional<at::Tensor>& bias, const TrainingProducts& products,
                          c10::ScalarType type) {
    const at::Tensor narrow = input.to(type);
    const at::Tensor narrow_weight = weight.to(type);
    context->save_for_backward({narrow, weight});
    context->saved_data["type"] = type;
    context->saved_data["input_type"] = input.scalar_type();
    context->saved_data["bias_type"] = bias ? c10::IValue(bias->scalar_type()) : c10::IValue();
    context->saved_data["products"] = products.bits();
    const auto outputs = [&] {
      at::DimVector sizes(input.sizes());
      sizes.back() = weight.size(0);
      return products
          .outputs(as_rows(narrow).to(kWide), narrow_weight.to(kWide), bias ? rounded(*bias, type) : at::Tensor())
          .to(type)
          .view(sizes);
    };
    if (type == kWide) return outputs();
    RECORD_FUNCTION("transformeter::widened_linear", std::vector<c10::IValue>({narrow, narrow_weight}));
    return outputs();
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &input = saved[0], &weight = saved[1];
    const c10::ScalarType type = context->saved_data["type"].toScalarType();
    const c10::IValue bias_type = context->saved_data["bias_type"];
    const TrainingProducts products(context->saved_data["products"].toInt());
    const at::Tensor slopes = as_rows(of_outputs.front()).to(kWide);
    variable_list gradients(5);
    if (context->needs_input_grad(0)) {
      gradients[0] = products.input_gradient(slopes, rounded(weight, type))
                         .to(context->saved_data["input_type"].toScalarType())
                         .view(input.sizes());
    }
    if (context->needs_input_grad(1)) {
      gradients[1] = products.weight_gradient(slopes, as_rows(input).to(kWide)).to(weight.scalar_type());
    }
    if (!bias_type.isNone() && context->needs_input_grad(2)) {
      gradients[2] = slopes.sum(0).to(bias_type.toScalarType());
    }
    return gradients;
  }
};

class TrainedLinear final : public LinearKernel {
 public:
  TrainedLinear(LinearWeights weights, std::shared_ptr<const TrainingProducts> products, c10::ScalarType type)
      : weights_(std::move(weights)), products_(std::move(products)), type_(type) {}

  at::Tensor forward(const at::Tensor& input) const override {
    if (autocast_type(input.device().type()).value_or(input.scalar_type()) != type_) {
      return at::linear(input, weights_.weight, weights_.bias);
    }
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

ProductSize size_of(const LinearWeights& weights, std::int64_t rows, TrainingPart part) {
  return {weights.weight.size(1), weights.weight.size(0),
          weights.bias.defined(), false,
          at::get_num_threads(),  {{rows, std::string(name_of(part))}}};
}

// Both kernels of one part, of the same inputs. LibTorch's own first, since it is right by definition.
std::vector<KernelCandidate> candidates_for(const LinearWeights& weights, std::int64_t rows, TrainingPart part) {
  const at::Tensor weight = weights.weight.detach().to(kWide);
  const at::Tensor bias = weights.bias.defined() ? weights.bias.detach().to(kWide) : at::Tensor();
  at::Tensor input, slopes;
  if (part != TrainingPart::kInputGradient) input = trial_operand(rows, weight.size(1));
  if (part != TrainingPart::kOutputs) slopes = trial_operand(rows, weight.size(0));
  std::vector<KernelCandidate> candidates;
  for (const std::string_view name : {kPlain, kOneDnn}) {
    TrainingProducts products;
    if (name == kOneDnn) products.use_one_dnn(part);
    candidates.push_back({name, [=] {
                            return std::function<at::Tensor()>([=] {
                              if (part == TrainingPart::kInputGradient) return products.input_gradient(slopes, weight);
                              if (part == TrainingPart::kWeightGradient) return products.weight_gradient(slopes, input);
                              return products.outputs(input, weight, bias);
                            });
                          }});
  }
  return candidates;
}

SettledProduct choose(const LinearWeights& weights, std::int64_t rows, TrainingPart part, const std::string& kernel,
                      const KeptProducts* kept) {
  SettledProduct product;
  product.choice.size = size_of(weights, rows, part);
  const bool is_small = std::min(weights.weight.size(0), weights.weight.size(1)) < kSmallest;
  product.choice.kernel = is_small ? kPlain : kOneDnn;
  if (is_small || kernel == "onednn") return product;
  const ProductChoice* known = kept == nullptr || kernel == "trial" ? nullptr : kept->find(product.choice.size);
  if (known != nullptr && (known->kernel == kPlain || known->kernel == kOneDnn)) return {*known, 0, true};
  return {try_product(product.choice.size, candidates_for(weights, rows, part), 0, SystemClock())};
}

}  // namespace

std::shared_ptr<const LinearKernel> TrainedLinears::make(const LinearWeights& weights) const {
  auto products = std::make_shared<TrainingProducts>();
  layers_.push_back({weights, products});
  return std::make_shared<TrainedLinear>(weights, std::move(products), type_);
}

std::vector<SettledProduct> TrainedLinears::settle(std::int64_t rows, const std::string& kernel,
                                                   KeptProducts* kept) const {
  const at::NoGradGuard no_gradient;
  rows = std::min(rows, kMostRows);
  std::vector<SettledProduct> products;
  std::map<ProductSize, std::size_t> places;
  for (const Layer& layer : layers_) {
    for (const TrainingPart part : kParts) {
      const auto [place, is_new] = places.try_emplace(size_of(layer.weights, rows, part), products.size());
      if (is_new) products.push_back(choose(layer.weights, rows, part, kernel, kept));
      SettledProduct& product = products[place->second];
      ++product.layers;
      if (product.choice.kernel == kOneDnn) layer.products->use_one_dnn(part);
    }
  }
  layers_.clear();
  return products;
}

}  // namespace transformeter
