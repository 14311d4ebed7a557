// Activations in int8 and back, one scale a row: the two passes over memory that a product in int8 needs beside it.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "spec/blueprint.h"

namespace transformeter {

struct QuantizedRows {
  at::Tensor values;  // [N, C] int8
  at::Tensor scales;  // [N] fp32: x ≈ values · scale
};

/// Symmetric: the scale of a row is its largest magnitude ÷ 127, 0 for a row of zeros. `input`: [N, C], contiguous,
/// fp32 or bf16. Error of an element: at most half its row's scale.
QuantizedRows quantize_rows(const at::Tensor& input);

/// What is computed on sums of int8 products.
struct RowEpilogue {
  at::Tensor weight_scales;  // [out] fp32
  at::Tensor bias;           // [out] fp32; undefined: none
  at::Tensor residual;       // [N, out] in the output's type; undefined: none
};
/// sums [N, out] int32 · row scale · weight scale + bias + residual, [N, out] in `type` (fp32 or bf16).
at::Tensor dequantize_rows(const at::Tensor& sums, const at::Tensor& row_scales, const RowEpilogue& epilogue,
                           c10::ScalarType type);

}  // namespace transformeter
