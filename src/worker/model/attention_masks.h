// Which token may see which, for one pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

#include "model/relative_bias.h"

namespace transformeter {

struct AttentionMask {
  at::Tensor additive;     // 0 or the type's lowest number, beside a bias; undefined: none
  bool is_causal = false;  // without a mask: a token sees none after it
};

/// The lowest finite number of a floating type. Finite, so that a row that sees nothing stays a number: −∞ would make
/// it NaN, and zero times NaN the rest.
double lowest_of(c10::ScalarType type);

/// [B, 1, 1, S]: 0 where `token_mask` [B, S] is true and the type's lowest number where it is not, as Transformers
/// builds it.
at::Tensor additive_mask(const at::Tensor& token_mask, c10::ScalarType type);

/// Makes each mask once, however many layers ask for it, unless each is to have its own.
class AttentionMasks {
 public:
  struct Shape {
    bool is_causal = false;
    std::int64_t tokens = 0;             // T of this pass
    std::int64_t before = 0;             // in the cache
    const RelativeBias* bias = nullptr;  // of the model, added to each mask; null: none
    bool is_shared = true;               // false: a mask's gradient ends in the layer that asked for it
  };
  /// `padding`: additive, [B, 1, 1, S], or undefined. `options`: type and device of the masks.
  AttentionMasks(const Shape& shape, at::Tensor padding, const at::TensorOptions& options);

  /// `window`: a token sees itself and window − 1 before it; 0: all before it.
  AttentionMask with_window(std::int64_t window);
  const RelativeBias* bias() const { return shape_.bias; }
  /// That of padding alone, as it was given.
  const at::Tensor& padding() const { return padding_; }

 private:
  AttentionMask make(std::int64_t window) const;
  AttentionMask order(std::int64_t window) const;

  Shape shape_;
  at::Tensor padding_;
  at::TensorOptions options_;
  std::map<std::int64_t, AttentionMask> masks_;
};

}  // namespace transformeter
