// Norms and rotations of rows in one pass over memory, computed in fp32.
#pragma once

#include <ATen/core/Tensor.h>

namespace transformeter {

/// x [..., C] ÷ √(mean of x² over C + epsilon), · (weight [C] + offset): Zhang and Sennrich 2019. fp32, bf16 or fp16,
/// both in one type.
at::Tensor rms_norm_rows(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset = 0);

/// x [B, H, T, d] in pairs (i, i + d / 2) by angles with these cosines and sines, each [B or 1, 1, T, d] in x's type
/// (fp32, bf16, fp16) with the halves of d alike. The result lies in memory as [B, T, H, d].
at::Tensor rotate_rows(const at::Tensor& input, const at::Tensor& cosine, const at::Tensor& sine);

}  // namespace transformeter
