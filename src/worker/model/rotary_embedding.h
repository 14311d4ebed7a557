// Rotary positions applied to queries and keys.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "spec/rotary.h"

namespace transformeter {

/// Cosine and sine of one pass, each [B or 1, 1, T, d] in the model's type; undefined for a model without.
struct Rotation {
  at::Tensor cosine, sine;
};

/// Makes a pass's rotation on the device of its tokens.
class RotaryEmbedding {
 public:
  RotaryEmbedding(RotarySpec spec, c10::Device device);
  /// `positions` [B or 1, T] int64; `tokens`: how long the sequence is by now. Angles are computed in fp32.
  Rotation at(const at::Tensor& positions, std::int64_t tokens, c10::ScalarType type) const;

 private:
  RotarySpec spec_;
  at::Tensor frequencies_;  // [d / 2] fp32; undefined where they depend on the length
};

/// x [B, H, T, d]: of the first r dimensions, r those of the rotation, pairs (i, i + r / 2) are turned.
at::Tensor rotate(const at::Tensor& input, const Rotation& rotation);

}  // namespace transformeter
