// Attention in 16-bit types by whichever kernel wins a trial here.
#pragma once

#include <memory>

#include "engine/tiled_attention.h"
#include "model/operators.h"

namespace transformeter {

/// The first call of each kind of inputs (type, heads and their width, powers of two of queries and keys, mask, causal,
/// threads) calls LibTorch's scaled_dot_product_attention and ours on them a few times each, unseen by a KernelProbe;
/// further ones of that kind take the faster. fp32, dropout and few queries go to LibTorch's at once: there it has
/// never been slower.
class TriedAttention {
 public:
  using Kernel = at::Tensor (*)(const AttentionInputs&);

  /// `ours`: another kernel in place of tiled_attention, for tests.
  explicit TriedAttention(Kernel ours = &tiled_attention);
  ~TriedAttention();
  TriedAttention(const TriedAttention&) = delete;
  TriedAttention& operator=(const TriedAttention&) = delete;

  /// As Operators::attention; several threads may call.
  at::Tensor operator()(const AttentionInputs& inputs) const;

 private:
  struct Choices;
  std::unique_ptr<Choices> choices_;
};

}  // namespace transformeter
