// Task heads on hidden states. Shapes: B batch, T tokens, C width.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "model/blocks.h"
#include "model/operators.h"

namespace transformeter {

/// What a head reads of hidden [B, T, C]: [B, T, C], or [B, C] of one selected or the mean token. `token_mask` [B, T]
/// is true where a token is not padding; undefined: no padding.
at::Tensor select_tokens(const at::Tensor& hidden, const at::Tensor& token_mask, Selection selection);

/// The output layers of one task: see Model::forward for what each gives.
class TaskHead {
 public:
  TaskHead(const HeadSpec& spec, const Parameters& parameters);

  /// hidden [B, T, C] to the task's output.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& token_mask, const Operators& operators) const;

 private:
  Selection selection_;
  std::optional<Linear> dense_, output_;
  ActivationFunction activation_ = nullptr;
  std::optional<Norm> norm_;
  bool normalized_;
};

}  // namespace transformeter
