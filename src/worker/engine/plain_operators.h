// Shared by the attention kernels: LibTorch's implementation of all other operators, and input layouts.
#pragma once

#include <optional>

#include "model/operators.h"

namespace transformeter {

/// Everything but attention by LibTorch's own operators.
class PlainOperators : public Operators {
 public:
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override;
  at::Tensor dropout(const at::Tensor& input, double share) const override;
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon) const override;
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override;
};

/// Nothing where the mask is undefined.
std::optional<at::Tensor> optional_mask(const AttentionInputs& inputs);

/// [B, G, S, d] to [B, H, S, d], each head repeated for the query heads it serves.
at::Tensor repeat_heads(const at::Tensor& grouped, std::int64_t heads);

/// With vectors of d that are dense; a copy where they are not.
at::Tensor with_whole_vectors(const at::Tensor& tensor);

}  // namespace transformeter
