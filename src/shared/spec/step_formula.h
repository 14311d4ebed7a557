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
/// gradient checkpointing adds a forward pass. Of frozen matrices there is no gradient of weights. As if every matrix's
/// input had a gradient, though that of the first ones has none where embeddings do not learn.
class StepFormula {
 public:
  /// Throws what draw_blueprint throws.
  StepFormula(const ModelConfig& config, Task task, const std::optional<LoraPlan>& lora);

  /// Of rows as forward_flops takes them.
  double flops(const std::vector<std::int64_t>& row_lengths, const std::vector<std::int64_t>& target_lengths = {},
               StepWay way = {}) const;

 private:
  Blueprint model_;
  std::optional<Blueprint> adapters_, frozen_;  // of the model what takes these operations alone
};

}  // namespace transformeter
