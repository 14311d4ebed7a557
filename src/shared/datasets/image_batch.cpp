// All images of a model are of one size, so that no token is padding.
#include "datasets/image_batch.h"

#include <fmt/format.h>

#include "base/random.h"

namespace transformeter {

Batch image_batch(std::size_t rows, const ImageShape& shape, std::int64_t tokens) {
  Batch batch;
  batch.images = BatchImages{shape, std::vector<float>(rows * static_cast<std::size_t>(shape.values()))};
  batch.batch_size = static_cast<std::int64_t>(rows);
  batch.sequence_length = tokens;
  batch.useful_tokens = batch.processed_tokens = batch.batch_size * tokens;
  batch.attention_mask.assign(static_cast<std::size_t>(batch.processed_tokens), 1);
  return batch;
}

std::span<float> pixels_of(Batch& batch, std::size_t row) {
  const auto values = static_cast<std::size_t>(batch.images->shape.values());
  return std::span(batch.images->values).subspan(row * values, values);
}

void draw_pixels(std::uint64_t seed, std::size_t image, std::span<float> values) {
  RandomStream random(seed, fmt::format("image/{}", image));
  for (float& value : values) value = static_cast<float>(random.normal());
}

}  // namespace transformeter
