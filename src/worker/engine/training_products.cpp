// oneDNN reads its second operand in any strides; of the first, LibTorch makes a copy where it is transposed.
#include "engine/training_products.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/dispatched_operator.h"
#include "engine/kernel_trial.h"
#include "machine/kept_products.h"

namespace transformeter {
namespace {

// As of trials for inference: sums in another order differ by far less.
constexpr double kTolerance = 1e-4;
constexpr std::int64_t kSmallest = 16;
constexpr std::int64_t kMostRows = 2048;  // more would take memory, and hardly change which kernel is faster
constexpr std::string_view kPlain = "linear";
constexpr std::string_view kOneDnn = "onednn";
constexpr std::array kParts{TrainingPart::kOutputs, TrainingPart::kInputGradient, TrainingPart::kWeightGradient};

// rows [M, K] · weightᵀ, weight [N, K].
at::Tensor one_dnn_product(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
  using Pointwise = at::Tensor(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                               std::string_view operation, c10::List<std::optional<at::Scalar>> scalars,
                               std::optional<std::string_view> algorithm);
  static const auto kPointwise = dispatched_operator<Pointwise>("mkldnn::_linear_pointwise");
  return kPointwise.call(rows, weight, bias.defined() ? std::optional(bias) : std::nullopt, "none",
                         c10::List<std::optional<at::Scalar>>(), "");
}

ProductSize size_of(const LinearWeights& weights, std::int64_t rows, TrainingPart part) {
  return {weights.weight.size(1), weights.weight.size(0),
          weights.bias.defined(), false,
          at::get_num_threads(),  {{rows, std::string(name_of(part))}}};
}

// Both kernels of one part, of the same inputs.
std::vector<KernelCandidate> candidates_for(const LinearWeights& weights, std::int64_t rows, TrainingPart part) {
  const at::Tensor weight = weights.weight.detach().to(at::kFloat);
  const at::Tensor bias = weights.bias.defined() ? weights.bias.detach().to(at::kFloat) : at::Tensor();
  const auto numbers = [&](std::int64_t columns) { return at::linspace(-1, 1, rows * columns).view({rows, columns}); };
  const at::Tensor input = part == TrainingPart::kInputGradient ? at::Tensor() : numbers(weight.size(1));
  const at::Tensor slopes = part == TrainingPart::kOutputs ? at::Tensor() : numbers(weight.size(0));
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
  product.choice.kernel = kernel == "onednn" ? kOneDnn : kPlain;
  const bool is_small = std::min(weights.weight.size(0), weights.weight.size(1)) < kSmallest;
  if (is_small) product.choice.kernel = kPlain;
  if (is_small || kernel == "onednn") return product;
  const ProductChoice* known = kept == nullptr || kernel == "trial" ? nullptr : kept->find(product.choice.size);
  if (known != nullptr && (known->kernel == kPlain || known->kernel == kOneDnn)) return {*known, 0, true};
  const SystemClock clock;
  product.choice.tried_at = format_utc(clock.wall_s());
  KernelChoice choice = choose_kernel(candidates_for(weights, rows, part), 0, kTolerance, clock);
  product.choice.kernel = choice.index == 0 ? kPlain : kOneDnn;
  product.choice.trials = std::move(choice.trials);
  product.choice.is_steady = choice.is_steady;
  return product;
}

}  // namespace

at::Tensor TrainingProducts::outputs(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const {
  if (is_one_dnn(TrainingPart::kOutputs) && input.numel() > 0) return one_dnn_product(input, weight, bias);
  return bias.defined() ? at::addmm(bias, input, weight.t()) : at::mm(input, weight.t());
}

at::Tensor TrainingProducts::input_gradient(const at::Tensor& slopes, const at::Tensor& weight) const {
  if (is_one_dnn(TrainingPart::kInputGradient) && slopes.numel() > 0) return one_dnn_product(slopes, weight.t(), {});
  return at::mm(slopes, weight);
}

at::Tensor TrainingProducts::weight_gradient(const at::Tensor& slopes, const at::Tensor& input) const {
  if (is_one_dnn(TrainingPart::kWeightGradient) && slopes.numel() > 0)
    return one_dnn_product(slopes.t(), input.t(), {});
  return at::mm(slopes.t(), input);
}

at::Tensor as_rows(const at::Tensor& values) {
  return values.reshape({-1, values.size(-1)});
}

std::string_view name_of(TrainingPart part) {
  constexpr std::array<std::string_view, 3> kNames{"outputs", "input gradient", "weight gradient"};
  return kNames[static_cast<std::size_t>(part)];
}

std::shared_ptr<const LinearKernel> TrainingLinears::make(const LinearWeights& weights) const {
  auto products = std::make_shared<TrainingProducts>();
  layers_.push_back({weights, products});
  return make_with(weights, std::move(products));
}

std::vector<SettledProduct> TrainingLinears::settle(std::int64_t rows, const std::string& kernel,
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
