// Names and shapes of a model's parameters, in the checkpoint's own spelling, from its configuration and task alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/blueprint.h"
#include "spec/model_config.h"

namespace transformeter {

/// How a preset's seeded random weights are drawn.
enum class Initialization {
  kNormal,  // mean 0, standard deviation ModelConfig::initializer_range
  kZeros,
  kOnes,
};

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  Initialization init = Initialization::kNormal;
  /// A second name under which a checkpoint may hold the same, tied, tensor; empty: none. The parameter is listed and
  /// counted once, under `name`.
  std::string tied_name;

  std::int64_t element_count() const;
  bool operator==(const TensorSpec&) const = default;
};

/// The parameters that `task` reads; nothing that it does not read, so the pooler of BERT is part of
/// sequence_classification only. Names carry the family's base prefix always; match_checkpoint accepts files without
/// it. Throws Error(kBadInput) for an unknown task and Error(kUnsupported) for one the family has no head for.
std::vector<TensorSpec> tensor_inventory(const ModelConfig& config, std::string_view task);

/// The parameters of the model without a head, as published counts have them: with the pooler where there is one (the
/// 109,482,240 of bert-base, the 124,439,808 of gpt2).
std::vector<TensorSpec> base_inventory(const ModelConfig& config);

}  // namespace transformeter
