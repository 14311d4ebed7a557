// Names and shapes of a model's parameters, in the checkpoint's own spelling, from its configuration and task alone.
#pragma once

#include <string_view>
#include <vector>

#include "spec/model_config.h"
#include "spec/tensor_spec.h"

namespace transformeter {

/// The parameters that `task` reads, those last that are computed while a model is loaded; nothing that it does not
/// read, so the pooler of BERT is part of tasks with a class or a value for a whole text only. Names carry the family's
/// base prefix always; match_checkpoint accepts files without it. Throws Error(kUnsupported) for a task that the family
/// has no head for.
std::vector<TensorSpec> tensor_inventory(const ModelConfig& config, Task task);

/// The parameters of the model without a head, as published counts have them: with the pooler where there is one (the
/// 109,482,240 of bert-base, the 124,439,808 of gpt2), and with both towers of one that reads texts and images.
std::vector<TensorSpec> base_inventory(const ModelConfig& config);

}  // namespace transformeter
