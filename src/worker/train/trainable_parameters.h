// The initial weights of a training: those of a checkpoint, and a randomly initialized head if it has none for the
// task.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/parameters.h"
#include "spec/checkpoint.h"

namespace transformeter {

struct TrainableParameters {
  Parameters parameters;
  ModelConfig config;              // the checkpoint's, with `num_labels` classes
  std::vector<std::string> added;  // names of those drawn at random, in the inventory's order
};

/// By match_for_training, which says when a head is new. It is drawn as Transformers draws it: matrices from a normal
/// distribution of the configuration's initializer_range, biases zero, norms one; `seed` as of seeded_parameters.
TrainableParameters trainable_parameters(Checkpoint checkpoint, Task task, std::optional<std::int64_t> num_labels,
                                         std::uint64_t seed, c10::ScalarType type,
                                         const std::vector<std::string>& names = {});

}  // namespace transformeter
