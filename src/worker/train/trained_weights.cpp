// What has more than one dimension is a matrix or a table.
#include "train/trained_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/random.h"

namespace transformeter {
namespace {

// As Transformers' Trainer, by the name: a table of biases is none of the matrices; a weight for each layer, the scale
// of logits and the token of a class are neither biases nor norms.
bool decays(const std::string& name, std::int64_t dimensions) {
  if (dimensions > 1) return name.find("bias") == std::string::npos;
  return name == "layer_weights" || name == "logit_scale" || name.ends_with("class_embedding");
}

void add(TrainedWeights& trained, const std::string& name, const at::Tensor& value, bool is_trainable) {
  value.set_requires_grad(is_trainable);
  trained.parameters.add(name, value);
  if (!is_trainable) return;
  trained.weights.push_back({name, value, decays(name, value.dim())});
}

at::Tensor uniform(const TensorSpec& tensor, std::uint64_t seed) {
  at::Tensor values = at::empty(tensor.shape, at::kFloat);
  const double bound = 1 / std::sqrt(static_cast<double>(tensor.fan_in));
  RandomStream random(seed, "weights/" + tensor.name);
  float* const begin = values.data_ptr<float>();
  std::generate(begin, begin + values.numel(), [&] { return static_cast<float>(bound * (2 * random.uniform() - 1)); });
  return values;
}

// scale · B A in fp32, as the matrix is stored.
at::Tensor adapter_product(const Parameters& parameters, const LinearSpec& matrix, double scale) {
  const at::Tensor lora_a = parameters.at(lora_a_of(matrix.weight)).to(at::kFloat);
  const at::Tensor lora_b = parameters.at(lora_b_of(matrix.weight)).to(at::kFloat);
  const at::Tensor product = at::mm(lora_b, lora_a) * scale;  // [out, in]
  return matrix.layout == WeightLayout::kInOut ? product.t() : product;
}

}  // namespace

TrainedWeights trained_weights(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                               c10::ScalarType type, const std::optional<LoraPlan>& lora, std::uint64_t seed) {
  TrainedWeights trained;
  for (const TensorSpec& tensor : inventory) {
    at::Tensor value = parameters.at(tensor.name).to(type, /*non_blocking=*/false, /*copy=*/true);
    add(trained, tensor.name, value, !lora || lora->is_trainable(tensor.name));
  }
  if (!lora) return trained;
  for (const NamedTensor& adapter : draw_adapters(*lora, seed)) {
    add(trained, adapter.name, adapter.value.to(at::TensorOptions(parameters.device()).dtype(type)), true);
  }
  for (const LinearSpec& matrix : lora->matrices) {
    trained.parameters.adapt(matrix.weight, {lora_a_of(matrix.weight), lora_b_of(matrix.weight), lora->scale()});
  }
  return trained;
}

std::vector<NamedTensor> named_values(const std::vector<TrainedWeight>& weights) {
  std::vector<NamedTensor> named;
  for (const TrainedWeight& weight : weights) named.push_back({weight.name, weight.value});
  return named;
}

std::vector<NamedTensor> draw_adapters(const LoraPlan& lora, std::uint64_t seed) {
  std::vector<NamedTensor> drawn;
  for (const TensorSpec& tensor : adapter_inventory(lora)) {
    const bool is_zero = tensor.init == Initialization::kZeros;
    drawn.push_back({tensor.name, is_zero ? at::zeros(tensor.shape, at::kFloat) : uniform(tensor, seed)});
  }
  return drawn;
}

at::Tensor merged_value(const Parameters& parameters, const NamedTensor& weight, const LoraPlan& lora) {
  const at::NoGradGuard no_gradient;
  const auto adapted = std::find_if(lora.matrices.begin(), lora.matrices.end(),
                                    [&](const LinearSpec& matrix) { return matrix.weight == weight.name; });
  if (adapted == lora.matrices.end()) return weight.value;
  const at::Tensor sum = weight.value.to(at::kFloat) + adapter_product(parameters, *adapted, lora.scale());
  return sum.to(weight.value.scalar_type()).contiguous();
}

void cancel_adapters(const Parameters& parameters, const LoraPlan& lora, std::uint64_t seed) {
  const at::NoGradGuard no_gradient;
  for (const TensorSpec& tensor : adapter_inventory(lora)) parameters.at(tensor.name).copy_(uniform(tensor, seed));
  for (const LinearSpec& matrix : lora.matrices) {
    const at::Tensor &weight = parameters.at(matrix.weight), &lora_b = parameters.at(lora_b_of(matrix.weight));
    const at::Tensor wide = weight.to(at::kFloat);
    lora_b.mul_(wide.norm() / adapter_product(parameters, matrix, lora.scale()).norm());
    weight.copy_(wide - adapter_product(parameters, matrix, lora.scale()));
  }
}

}  // namespace transformeter
