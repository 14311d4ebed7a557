// What has more than one dimension is a matrix or a table.
#include "train/trained_weights.h"

namespace transformeter {

TrainedWeights trained_weights(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                               c10::ScalarType type) {
  TrainedWeights trained;
  for (const TensorSpec& tensor : inventory) {
    at::Tensor value = parameters.at(tensor.name).to(type, /*non_blocking=*/false, /*copy=*/true);
    value.set_requires_grad(true);
    trained.parameters.add(tensor.name, value);
    // As Transformers' Trainer, by the name: a table of biases is none of the matrices, and a weight for each layer is
    // neither a bias nor a norm.
    const bool is_matrix = value.dim() > 1 && tensor.name.find("bias") == std::string::npos;
    const bool decays = is_matrix || tensor.name == "layer_weights";
    trained.weights.push_back({tensor.name, value, decays});
  }
  return trained;
}

std::vector<NamedTensor> named_values(const std::vector<TrainedWeight>& weights) {
  std::vector<NamedTensor> named;
  for (const TrainedWeight& weight : weights) named.push_back({weight.name, weight.value});
  return named;
}

}  // namespace transformeter
