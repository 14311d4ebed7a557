// An image as models read it: red, green and blue of 8 bits each.
#pragma once

#include <cstdint>
#include <vector>

namespace transformeter {

/// In pixels, height first as tensors have it.
struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;

  bool operator==(const ImageSize&) const = default;
};

/// The most pixels of an image that is decoded or made: the limit of Pillow. A file of a few KiB can claim any size,
/// and its pixels must not fill the memory.
inline constexpr std::int64_t kLargestImagePixels = 178'956'970;

/// Whether it has a pixel and no more than `most`.
constexpr bool fits(ImageSize size, std::int64_t most = kLargestImagePixels) {
  return size.height >= 1 && size.width >= 1 && size.height <= most / size.width;
}

/// The most pixels along one edge of a file; JPEG ends at 65,535 anyway. What resizing keeps grows with the edge.
inline constexpr std::int64_t kLongestImageEdge = 1'000'000;

inline constexpr std::int64_t kImageChannels = 3;

/// Rows from top to bottom, pixels from left to right, 3 bytes each: [height, width, 3] without gaps.
struct Image {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;

  Image() = default;
  /// Black. Both lengths are at least 1.
  explicit Image(ImageSize size)
      : height(size.height),
        width(size.width),
        pixels(static_cast<std::size_t>(size.height * size.width * kImageChannels)) {}

  ImageSize size() const { return {height, width}; }
  std::int64_t row_bytes() const { return width * kImageChannels; }
  const std::uint8_t* row(std::int64_t y) const { return pixels.data() + y * row_bytes(); }
  std::uint8_t* row(std::int64_t y) { return pixels.data() + y * row_bytes(); }
};

}  // namespace transformeter
