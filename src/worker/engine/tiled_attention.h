// Attention without dropout and gradients from products of many heads at once.
#pragma once

#include <cstdint>

#include "model/operators.h"

namespace transformeter {

/// Scores of a tile, unless 128 queries of four heads have more: measured, 4 MB of bf16 (docs/benchmarks.md).
inline constexpr std::int64_t kMostTileScores = std::int64_t{2} << 20;

/// As Operators::attention, on the CPU, without dropout. Scores of as many queries and heads as the caches hold are one
/// batch of products in the inputs' type, by the kernel that LibTorch has for it; softmax in fp32. LibTorch's flash
/// kernel takes the products of each head alone, and in bf16 has instructions for them only on processors with AMX.
at::Tensor tiled_attention(const AttentionInputs& inputs);

}  // namespace transformeter
