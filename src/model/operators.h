// The seams behind which engines vary: a model asks for attention and linear layers here and never names a kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace transformeter {

/// y = x Wᵀ + b with W [out, in]. Undefined bias: none.
struct Linear {
  at::Tensor weight;
  at::Tensor bias;
};

class Operators {
 public:
  virtual ~Operators() = default;
  /// softmax(Q Kᵀ / √d + mask) V. Shapes [B, H, T, d]; mask additive, [B, 1, 1, T] in the type of Q, or undefined.
  virtual at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                               const at::Tensor& mask) const = 0;
  /// x [..., in] to [..., out].
  virtual at::Tensor linear(const at::Tensor& input, const Linear& layer) const = 0;
};

}  // namespace transformeter
