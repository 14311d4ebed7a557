// Names and shapes of a model's parameters, in the checkpoint's own spelling, from its configuration and task alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// "sequence_classification", "token_classification", "question_answering", "masked_lm", "embedding".
std::vector<std::string> encoder_tasks();

/// The parameters that `task` reads, in the order Transformers registers them; nothing that it does not read, so the
/// pooler of BERT is part of sequence_classification only (the published 109,482,240 of bert-base are its inventory
/// without the classifier). "embedding" is the encoder alone, its output averaged over the tokens of the mask. Names
/// always carry the prefix "bert." or "distilbert."; match_checkpoint accepts files without it.
/// Throws Error(kBadInput) for an unknown task and Error(kUnsupported) for "causal_lm", and for "masked_lm" with
/// untied embeddings.
std::vector<TensorSpec> tensor_inventory(const ModelConfig& config, std::string_view task);

}  // namespace transformeter
