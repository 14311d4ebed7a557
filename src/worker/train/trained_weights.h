// A model's weights as trainable leaf tensors.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "model/parameters.h"
#include "spec/lora.h"
#include "train/optimizer.h"

namespace transformeter {

struct TrainedWeights {
  Parameters parameters;               // what a model is made from
  std::vector<TrainedWeight> weights;  // the trainable ones of these: the inventory's in its order, then adapters
};

/// Copies of the inventory's tensors in `type`, on the device they lie on: a checkpoint's mapped files stay as they
/// are. Matrices, tables and weights of layers decay, biases and norms do not, as the Trainer of Transformers groups
/// them. With `lora` trainable are what it says and its adapters, drawn by `seed` as draw_adapters does.
TrainedWeights trained_weights(const Parameters& parameters, const std::vector<TensorSpec>& inventory,
                               c10::ScalarType type, const std::optional<LoraPlan>& lora = std::nullopt,
                               std::uint64_t seed = 0);

/// By name, as they are kept in files.
std::vector<NamedTensor> named_values(const std::vector<TrainedWeight>& weights);

/// As at the beginning of a training: A uniform from −1/√in to 1/√in, which is PEFT's kaiming_uniform_(a=√5), by seed
/// and name; B zeros. In fp32 on the CPU, in the order of adapter_inventory.
std::vector<NamedTensor> draw_adapters(const LoraPlan& lora, std::uint64_t seed);

/// Of one of `parameters`: with the adapter that it has, W + scale · B A, computed in fp32; else as it is.
at::Tensor merged_value(const Parameters& parameters, const NamedTensor& weight, const LoraPlan& lora);

/// Draws both matrices of each adapter by seed and name, such that their product is as large as the matrix that they
/// adapt, and subtracts it from that: the model then answers as it did without adapters, but only if they are computed
/// right.
void cancel_adapters(const Parameters& parameters, const LoraPlan& lora, std::uint64_t seed);

}  // namespace transformeter
