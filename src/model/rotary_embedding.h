// Rotary positions applied to queries and keys.
#pragma once

#include <ATen/core/Tensor.h>

#include "spec/rotary.h"

namespace transformeter {

/// Cosine and sine of one pass, each [B or 1, 1, T, d] in the model's type; undefined for a model without.
struct Rotation {
  at::Tensor cosine, sine;
};

/// `positions` [B or 1, T] int64; `tokens`: how long the sequence is by now. Angles are computed in fp32.
Rotation make_rotation(const RotarySpec& spec, const at::Tensor& positions, std::int64_t tokens, c10::ScalarType type);

/// x [B, H, T, d]: turned in pairs (i, i + d / 2).
at::Tensor rotate(const at::Tensor& input, const Rotation& rotation);

}  // namespace transformeter
