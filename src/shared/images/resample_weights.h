// By which weights the pixels along one axis are averaged when an image is resized.
#pragma once

#include <cstdint>
#include <vector>

#include "images/resize_image.h"

namespace transformeter {

/// Weights are fixed-point numbers of 22 bits behind the point, so that a sum of products with 8-bit values fits
/// into 32.
inline constexpr int kWeightBits = 22;

/// Each pixel of the result is a weighted mean of a run of the source's pixels.
struct ResampleWeights {
  std::int64_t taps = 0;              // weights of each pixel of the result; those beyond its run are 0
  std::vector<std::int64_t> begin;    // [out] the run's first pixel
  std::vector<std::int64_t> count;    // [out] the run's length, 1 to `taps`
  std::vector<std::int32_t> weights;  // [out, taps]

  const std::int32_t* of(std::int64_t out) const { return weights.data() + out * taps; }
};

/// Pillow's for an axis of `in` pixels that becomes one of `out`: the filter is stretched by in / out where that is
/// more than 1. Not for kNearest, which has none.
ResampleWeights resample_weights(std::int64_t in, std::int64_t out, ResampleFilter filter);

}  // namespace transformeter
