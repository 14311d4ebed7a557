// One vector of all tokens of a row, by attention.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "model/blocks.h"
#include "model/linear.h"
#include "model/operators.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// As ProbeSpec describes it. Shapes: B batch, T tokens, C width.
class AttentionPooling {
 public:
  AttentionPooling(const ProbeSpec& spec, const Parameters& parameters);

  /// hidden [B, T, C], of which nothing is padding, to [B, C].
  at::Tensor forward(const at::Tensor& hidden, const Operators& operators) const;

 private:
  at::Tensor attended(const at::Tensor& hidden, const Operators& operators) const;
  at::Tensor split(const at::Tensor& projected) const;

  at::Tensor probe_;  // [1, 1, C]
  std::shared_ptr<const LinearKernel> query_, key_value_, output_, in_, out_;
  Norm norm_;
  Activation activation_;
  std::int64_t heads_, head_dim_;
  std::string attention_module_, feed_forward_module_;
};

}  // namespace transformeter
