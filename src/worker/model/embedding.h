// From token ids to the first hidden states.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>

#include "model/blocks.h"
#include "model/linear.h"
#include "spec/blueprint.h"

namespace transformeter {

/// What the checkpoint calls the part that holds its tables.
std::string embedding_module(const EmbeddingSpec& spec);

class Embedding {
 public:
  Embedding(const EmbeddingSpec& spec, const Parameters& parameters);

  struct Inputs {
    at::Tensor ids;        // [B, T]
    at::Tensor types;      // [B, T], or undefined: all 0
    at::Tensor positions;  // [B or 1, T]
  };
  /// [B, T, C].
  at::Tensor forward(const Inputs& inputs, const Operators& operators) const;

 private:
  at::Tensor words_, types_, positions_;
  std::int64_t position_offset_;
  std::int64_t padding_row_;  // -1: none
  double scale_;              // of the words
  std::optional<Norm> norm_;
  std::shared_ptr<const LinearKernel> projection_;  // null: none
  bool project_before_positions_;
  std::string module_, words_module_, types_module_, positions_module_;  // their names in the checkpoint
};

}  // namespace transformeter
