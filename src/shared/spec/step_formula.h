// Operations of training steps on paper.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/blueprint.h"
#include "spec/lora.h"
#include "spec/model_config.h"

namespace transformeter {

/// How rows are computed.
struct StepWay {
  bool leaves_out_tokens = false;  // those that no output depends on: unneeded_flops
  bool checkpoints_layers = false;
};

/// A backward pass takes twice the operations of the forward pass, for the gradients of inputs and of weights, and
/// gradient checkpointing adds a forward pass. With LoRA a frozen matrix has no gradient of its weight, and none of its
/// inputs where no trainable weight comes before: autograd stops there, but for checkpointed layers, whose inputs
/// always have one. Of an attention's products all have gradients, or none; that of texts' vectors with images' has one
/// for each tower with a trainable weight.
class StepFormula {
 public:
  /// Throws what draw_blueprint throws.
  StepFormula(const ModelConfig& config, Task task, const std::optional<LoraPlan>& lora);

  /// Of rows as forward_flops takes them; of captions their lengths are given.
  double flops(const std::vector<std::int64_t>& row_lengths, const std::vector<std::int64_t>& target_lengths = {},
               StepWay way = {}) const;

 private:
  // Of the model what takes these operations alone.
  struct Adapted {
    Blueprint adapters;
    Blueprint without_weight_gradients;
    Blueprint without_input_gradients, without_input_gradients_checkpointed;
  };

  Blueprint model_;
  std::optional<Adapted> adapted_;
};

}  // namespace transformeter
