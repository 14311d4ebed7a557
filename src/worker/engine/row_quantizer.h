// Quantizes activations to int8 with one scale per row, and back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/activation_rows.h"

namespace transformeter {

/// How a product wants whole numbers from −128 to 127: as int8, or plus 128 as uint8.
enum class RowBytes { kSigned, kOffset };
inline constexpr std::int64_t kByteOffset = 128;

struct QuantizedRows {
  at::Tensor values;  // [N, C] int8, or uint8 with the offset
  at::Tensor scales;  // [N] fp32: x ≈ (values, less the offset) · scale
};

/// Symmetric: the scale of a row is its largest magnitude ÷ 127, 0 for a row of zeros. `input`: [N, C], contiguous,
/// fp32, fp64, bf16 or fp16. Error of an element: at most half its row's scale. A row that holds anything but finite
/// numbers has the scale NaN, so that what is computed from it is NaN too.
QuantizedRows quantize_rows(const at::Tensor& input, RowBytes form = RowBytes::kSigned);

/// x ≈ (byte − zero_point) · scale.
struct ByteRange {
  double scale = 1;
  std::int64_t zero_point = 0;  // in [0, 255]
};
/// Of values between the two, which hold 0 or are widened to.
ByteRange byte_range(double smallest, double largest);
struct QuantizedBytes {
  at::Tensor values;      // uint8, of the input's shape
  bool is_finite = true;  // false: the input held what no byte stands for, an infinite value or NaN
};
/// Nearest byte, values outside the range at its ends. `input`: contiguous, of the types above.
QuantizedBytes quantize_bytes(const at::Tensor& input, const ByteRange& range);

/// What is computed on sums of int8 products.
struct RowEpilogue {
  at::Tensor weight_scales;  // [out] fp32; undefined: the sums have them already
  at::Tensor bias;           // [out] fp32; undefined: none
  at::Tensor residual;       // [N, out] in the output's type; undefined: none
};
/// sums [N, out], int32 or fp32, · row scale · weight scale + bias + residual, [N, out] in `type` (fp32, bf16, fp16).
at::Tensor dequantize_rows(const at::Tensor& sums, const at::Tensor& row_scales, const RowEpilogue& epilogue,
                           c10::ScalarType type);
/// What quantize_rows makes of `activation` of these, without the rows between them in memory; no residual.
QuantizedRows requantize_rows(const at::Tensor& sums, const at::Tensor& row_scales, const RowEpilogue& epilogue,
                              RowActivation activation, RowBytes form = RowBytes::kSigned);

}  // namespace transformeter
