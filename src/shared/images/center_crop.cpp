// The rule of Transformers (image_transforms.center_crop) as one difference of the two images' corners.
#include "images/center_crop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace transformeter {
namespace {

// Where the result begins in the image, along one axis; negative where it begins before it. Cropped, an odd difference
// leaves one pixel more behind the result than before it; padded, the other way round. Where either axis is padded,
// Transformers pads both to the larger length first, which on an axis that is cropped changes nothing.
std::int64_t first_kept(std::int64_t length, std::int64_t wanted) {
  if (wanted <= length) return (length - wanted) / 2;
  return -((wanted - length + 1) / 2);
}

struct KeptRange {
  std::int64_t from = 0;  // in the image
  std::int64_t to = 0;    // in the result
  std::int64_t count = 0;
};

KeptRange kept_range(std::int64_t length, std::int64_t wanted) {
  const std::int64_t first = first_kept(length, wanted);
  return {.from = std::max<std::int64_t>(first, 0),
          .to = std::max<std::int64_t>(-first, 0),
          .count = std::min(length, wanted)};
}

}  // namespace

Image center_crop(const Image& image, ImageSize size) {
  if (!fits(size)) {
    throw bad_value("crop size", fmt::format("{} x {}", size.width, size.height),
                    fmt::format("lengths of at least 1 and at most {} pixels in all", kLargestImagePixels));
  }
  const KeptRange rows = kept_range(image.height, size.height);
  const KeptRange columns = kept_range(image.width, size.width);
  Image result(size);
  for (std::int64_t y = 0; y < rows.count; ++y) {
    std::memcpy(result.row(rows.to + y) + columns.to * kImageChannels,
                image.row(rows.from + y) + columns.from * kImageChannels,
                static_cast<std::size_t>(columns.count * kImageChannels));
  }
  return result;
}

}  // namespace transformeter
