// What has more than one dimension is a matrix or a table.
#include "train/trained_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/random.h"

namespace transformeter {
namespace {

void add(TrainedWeights& trained, const std::string& name, at::Tensor value, bool is_trainable) {
  value.set_requires_grad(is_trainable);
  trained.parameters.add(name, value);
  if (!is_trainable) return;
  // As Transformers' Trainer, by the name: a table of biases is none of the matrices, and a weight for each layer is
  // neither a bias nor a norm.
  const bool is_matrix = value.dim() > 1 && name.find("bias") == std::string::npos;
  trained.weights.push_back({name, value, is_matrix || name == "layer_weights"});
}

at::Tensor uniform(const TensorSpec& tensor, std::uint64_t seed) {
  at::Tensor values = at::empty(tensor.shape, at::kFloat);
  const double bound = 1 / std::sqrt(static_cast<double>(tensor.fan_in));
  RandomStream random(seed, "weights/" + tensor.name);
  float* const begin = values.data_ptr<float>();
  std::generate(begin, begin + values.numel(), [&] { return static_cast<float>(bound * (2 * random.uniform() - 1)); });
  return values;
}

at::Tensor merged(const Parameters& parameters, const LinearSpec& matrix, double scale) {
  const at::Tensor& weight = parameters.at(matrix.weight);
  const at::Tensor down = parameters.at(lora_a_of(matrix.weight)).to(at::kFloat);
  const at::Tensor up = parameters.at(lora_b_of(matrix.weight)).to(at::kFloat);
  const at::Tensor change = at::mm(up, down) * scale;  // [out, in]
  const bool is_transposed = matrix.layout == WeightLayout::kInOut;
  return (weight.to(at::kFloat) + (is_transposed ? change.t() : change)).to(weight.scalar_type()).contiguous();
}

}  // namespace

TrainedWeights trained_weights(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                               c10::ScalarType type, const std::optional<LoraPlan>& lora, std::uint64_t seed) {
  TrainedWeights trained;
  for (const TensorSpec& tensor : inventory) {
    at::Tensor value = parameters.at(tensor.name).to(type, /*non_blocking=*/false, /*copy=*/true);
    add(trained, tensor.name, std::move(value), !lora || lora->is_trainable(tensor.name));
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

std::vector<NamedTensor> merged_values(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                                       const LoraPlan& lora) {
  const at::NoGradGuard no_gradient;
  std::vector<NamedTensor> named;
  for (const TensorSpec& tensor : inventory) {
    const auto adapted = std::find_if(lora.matrices.begin(), lora.matrices.end(),
                                      [&](const LinearSpec& matrix) { return matrix.weight == tensor.name; });
    const bool has_adapter = adapted != lora.matrices.end();
    named.push_back(
        {tensor.name, has_adapter ? merged(parameters, *adapted, lora.scale()) : parameters.at(tensor.name)});
  }
  return named;
}

}  // namespace transformeter
