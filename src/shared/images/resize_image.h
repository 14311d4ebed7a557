// Resizing with antialiasing, bit for bit as Pillow does it for 8-bit images.
#pragma once

#include <string_view>

#include "images/image.h"

namespace transformeter {

/// By the names and numbers of PIL.Image.Resampling.
enum class ResampleFilter {
  kNearest = 0,
  kLanczos = 1,
  kBilinear = 2,
  kBicubic = 3,
  kBox = 4,
  kHamming = 5,
};

std::string_view name_of(ResampleFilter filter);

/// `image` at `size`, equal to PIL.Image.resize((width, height), resample=filter) of Pillow 13. All filters but
/// kNearest average over as many pixels as one of the result covers. An image of that size already is copied. Throws
/// Error(kBadInput) when a length is below 1 or the result has more than kLargestImagePixels.
Image resize_image(const Image& image, ImageSize size, ResampleFilter filter);

}  // namespace transformeter
