// Dropout with gradients that stores no mask.
#pragma once

#include <ATen/core/Tensor.h>

namespace transformeter {

/// Each value of x [..., C] 0 with probability `share`, else ÷ (1 − share). fp32, bf16 or fp16 on the CPU; drawn from
/// LibTorch's generator there.
at::Tensor dropped_rows(const at::Tensor& input, double share);

}  // namespace transformeter
