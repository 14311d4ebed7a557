// Attention with dropout and gradients, in memory that grows with the tokens and not with their square. LibTorch's
// flash kernel of the CPU has no dropout, and its math kernel keeps scores, softmax and mask of each layer for the
// backward pass.
#pragma once

#include "model/operators.h"

namespace transformeter {

/// Whether it is there for such inputs: on the CPU, one type of fp32, bf16 or fp16, a mask without gradients.
bool has_dropped_attention(const AttentionInputs& inputs);

/// As Operators::attention. A block of queries meets all keys of its head at a time; the backward pass computes scores
/// and dropout again (Dao et al. 2022). Softmax and its gradient are in fp32, products in the inputs' type or, widened,
/// in fp32 too. Which values are dropped depends on LibTorch's generator of the CPU alone.
at::Tensor dropped_attention(const AttentionInputs& inputs, bool widened = false);

}  // namespace transformeter
