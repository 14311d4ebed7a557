// Attention in 16-bit types by whichever kernel wins a trial here.
#pragma once

#include <vector>

#include "engine/attention_choices.h"
#include "engine/tiled_attention.h"
#include "model/operators.h"
#include "schema/attention_choice.h"

namespace transformeter {

/// Of one model. The first call for inputs of each kind calls LibTorch's scaled_dot_product_attention and ours on them
/// a few times each, unseen by a KernelProbe; further ones of that kind take the faster. fp32, dropout and few queries
/// go to LibTorch's at once: there it has never been slower.
class TriedAttention {
 public:
  using Kernel = at::Tensor (*)(const AttentionInputs&);

  /// `ours`: another kernel in place of tiled_attention, for tests.
  explicit TriedAttention(Kernel ours = &tiled_attention) : ours_(ours) {}

  /// As Operators::attention; several threads may call.
  at::Tensor operator()(const AttentionInputs& inputs) const;
  /// Of each kind until now; kernels are "sdpa" and "tiled".
  std::vector<AttentionChoice> choices() const { return choices_.all(); }

 private:
  Kernel kernel_for(const AttentionInputs& inputs) const;

  Kernel ours_;
  mutable AttentionChoices choices_;
};

}  // namespace transformeter
