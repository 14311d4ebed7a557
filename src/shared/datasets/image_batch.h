// Batches of images, each of which becomes the same number of tokens.
#pragma once

#include <cstdint>
#include <span>

#include "datasets/cycle.h"

namespace transformeter {

/// Room for so many images: values 0, a mask of 1, no places of examples.
Batch image_batch(std::size_t rows, const ImageShape& shape, std::int64_t tokens);

/// Where image `row` of the batch lies, [channels, height, width].
std::span<float> pixels_of(Batch& batch, std::size_t row);

/// Independent standard normal numbers, which follow from the seed and the image's number alone.
void draw_pixels(std::uint64_t seed, std::size_t image, std::span<float> values);

}  // namespace transformeter
