// A model's weights as trainable leaf tensors.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

#include "model/parameters.h"
#include "train/optimizer.h"

namespace transformeter {

struct TrainedWeights {
  Parameters parameters;               // what a model is made from
  std::vector<TrainedWeight> weights;  // the same tensors, in the inventory's order
};

/// Copies of the inventory's tensors in `type`, on the device they lie on: a checkpoint's mapped files stay as they
/// are. Matrices, tables and weights of layers decay, biases and norms do not, as the Trainer of Transformers groups
/// them.
TrainedWeights trained_weights(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                               c10::ScalarType type);

/// By name, as they are kept in files.
std::vector<NamedTensor> named_values(const std::vector<TrainedWeight>& weights);

}  // namespace transformeter
