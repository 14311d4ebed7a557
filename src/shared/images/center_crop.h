// The middle of an image.
#pragma once

#include "images/image.h"

namespace transformeter {

/// The middle of `image`, of exactly `size`: what is missing at its edges is black. Where the difference is odd, the
/// choice of rows and columns is that of Transformers. Throws Error(kBadInput) when a length is below 1 or the result
/// has more than kLargestImagePixels.
Image center_crop(const Image& image, ImageSize size);

}  // namespace transformeter
