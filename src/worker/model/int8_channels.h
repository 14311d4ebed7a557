// Quantizes weights to int8 with one scale per channel, the basis of all int8 layers.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/linear.h"

namespace transformeter {

struct Int8Channels {
  at::Tensor values;  // [out, in] int8, contiguous
  at::Tensor scales;  // [out] fp32: w ≈ values · scale
};

/// Symmetric: the largest magnitude of each channel at `largest`, a channel of zeros at scale 0. `weight`: [out, in].
Int8Channels quantize_channels(const at::Tensor& weight, double largest = 127);

/// What a weight may be at most where bytes are multiplied as bytes here: 127 where the processor sums four products up
/// in 32 bits (VNNI and the like), else 64. Without that two products of a byte and a weight are added in 16 bits,
/// which hold 2 · 255 · 64 and no more: larger sums would come out too small, without a word.
double largest_int8_weight();

/// Whether a layer is worth quantizing: not with fewer than kSmallestInt8Side inputs or outputs.
bool is_worth_int8(const LinearWeights& weights);

}  // namespace transformeter
