// Task heads on hidden states. Shapes: B batch, T tokens, C width.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "model/attention_pooling.h"
#include "model/blocks.h"
#include "model/model.h"

namespace transformeter {

/// What a head reads of hidden [B, T, C]: [B, T, C], or [B, C] of one token or made of all, padding left out. Of packed
/// rows [1, N, C]: [1, N, C], or [rows, C]. `selection` is not kProbe.
at::Tensor select_tokens(const at::Tensor& hidden, const ModelInputs& inputs, Selection selection);

/// The output layers of one task: see Model::forward for what each gives.
class TaskHead {
 public:
  TaskHead(const HeadSpec& spec, const Parameters& parameters);

  /// hidden [B, T, C] to the task's output.
  at::Tensor forward(const at::Tensor& hidden, const ModelInputs& inputs, const Operators& operators) const;
  /// Whose vectors are put side by side.
  const std::vector<Selection>& selections() const { return selections_; }
  /// [layers + 1]: weights of the sum of hidden states that the head reads; undefined: it reads the last ones.
  const at::Tensor& layer_weights() const { return layer_weights_; }

 private:
  std::vector<Selection> selections_;                                  // one or more
  std::optional<AttentionPooling> pooling_;                            // in their place
  std::shared_ptr<const LinearKernel> dense_, output_, similarities_;  // null: none
  at::Tensor layer_weights_;
  bool dense_on_tokens_;
  std::optional<Activation> activation_;
  std::optional<Norm> norm_;
  bool normalized_;
  double dropout_, input_scale_;
};

}  // namespace transformeter
