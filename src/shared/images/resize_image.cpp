// Two passes, one along the rows and one along the columns, each rounded to 8 bits.
#include "images/resize_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "images/resample_weights.h"

// Loops over plain arrays, compiled for the processor's widest registers and chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TRANSFORMETER_WIDE_LOOPS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TRANSFORMETER_WIDE_LOOPS
#endif

namespace transformeter {
namespace {

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

inline std::uint8_t rounded_level(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

// Along a row, pixels have four whole numbers each, the last without meaning, and a step takes two of them. They have a
// vector type, because the compiler would not find by itself that the sums can stay in a register.
constexpr std::int64_t kPixelLanes = 4;
constexpr std::int64_t kPixelsAStep = 2;
constexpr std::int64_t kLanes = kPixelLanes * kPixelsAStep;
using Lanes = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

// The weights of the pixels of a row, each four times, in whole steps.
struct RowWeights {
  std::int64_t lanes = 0;  // of each pixel of the result
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> weights;  // [out, lanes]
};

RowWeights row_weights(const ResampleWeights& from) {
  const auto out = static_cast<std::int64_t>(from.begin.size());
  RowWeights result;
  result.lanes = (from.taps + kPixelsAStep - 1) / kPixelsAStep * kLanes;
  result.begin = from.begin;
  result.weights.resize(static_cast<std::size_t>(out * result.lanes));
  for (std::int64_t i = 0; i < out; ++i) {
    for (std::int64_t t = 0; t < from.taps; ++t) {
      std::fill_n(result.weights.data() + i * result.lanes + t * kPixelLanes, kPixelLanes, from.of(i)[t]);
    }
  }
  return result;
}

// `row` holds the source's row, with a step's worth of zeros behind it.
TRANSFORMETER_WIDE_LOOPS void resize_row(const std::int32_t* row, const std::int64_t* begin,
                                         const std::int32_t* weights, std::int64_t lanes, std::int64_t width,
                                         std::uint8_t* to) {
  for (std::int64_t x = 0; x < width; ++x, weights += lanes) {
    const std::int32_t* values = row + begin[x] * kPixelLanes;
    Lanes sums{};
    for (std::int64_t i = 0; i < lanes; i += kLanes) {
      Lanes value;
      Lanes weight;
      std::memcpy(&value, values + i, sizeof value);
      std::memcpy(&weight, weights + i, sizeof weight);
      sums += value * weight;
    }
    for (std::int64_t c = 0; c < kImageChannels; ++c) {
      to[x * kImageChannels + c] = rounded_level(kHalf + sums[c] + sums[c + kPixelLanes]);
    }
  }
}

// A pixel at a time, with the byte behind it, which the last one may not have.
TRANSFORMETER_WIDE_LOOPS void widen(const std::uint8_t* from, std::int64_t width, std::int32_t* to) {
  using Bytes = std::uint8_t __attribute__((vector_size(kPixelLanes)));
  using Numbers = std::int32_t __attribute__((vector_size(kPixelLanes * sizeof(std::int32_t))));
  const std::int64_t last = width - 1;
  for (std::int64_t x = 0; x < last; ++x) {
    Bytes bytes;
    std::memcpy(&bytes, from + x * kImageChannels, sizeof bytes);
    const Numbers numbers = __builtin_convertvector(bytes, Numbers);
    std::memcpy(to + x * kPixelLanes, &numbers, sizeof numbers);
  }
  std::copy_n(from + last * kImageChannels, kImageChannels, to + last * kPixelLanes);
}

Image resize_rows(const Image& image, std::int64_t width, ResampleFilter filter) {
  const RowWeights weights = row_weights(resample_weights(image.width, width, filter));
  std::vector<std::int32_t> row(static_cast<std::size_t>(image.width * kPixelLanes + weights.lanes));
  Image result({image.height, width});
  for (std::int64_t y = 0; y < image.height; ++y) {
    widen(image.row(y), image.width, row.data());
    resize_row(row.data(), weights.begin.data(), weights.weights.data(), weights.lanes, width, result.row(y));
  }
  return result;
}

constexpr std::int64_t kColumnsAStep = 32;

template <std::int64_t columns>
inline void mean_of_rows(const std::uint8_t* first, std::int64_t row_bytes, const std::int32_t* weights,
                         std::int64_t count, std::uint8_t* to) {
  std::array<std::int32_t, columns> sums{};
  sums.fill(kHalf);
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t i = 0; i < columns; ++i) sums[i] += weights[t] * first[t * row_bytes + i];
  }
  for (std::int64_t i = 0; i < columns; ++i) to[i] = rounded_level(sums[i]);
}

TRANSFORMETER_WIDE_LOOPS void resize_column(const std::uint8_t* first, std::int64_t row_bytes,
                                            const std::int32_t* weights, std::int64_t count, std::uint8_t* to) {
  std::int64_t i = 0;
  for (; i + kColumnsAStep <= row_bytes; i += kColumnsAStep) {
    mean_of_rows<kColumnsAStep>(first + i, row_bytes, weights, count, to + i);
  }
  for (; i < row_bytes; ++i) mean_of_rows<1>(first + i, row_bytes, weights, count, to + i);
}

Image resize_columns(const Image& image, std::int64_t height, ResampleFilter filter) {
  const ResampleWeights weights = resample_weights(image.height, height, filter);
  Image result({height, image.width});
  for (std::int64_t y = 0; y < height; ++y) {
    resize_column(image.row(weights.begin[y]), image.row_bytes(), weights.of(y), weights.count[y], result.row(y));
  }
  return result;
}

// Places are summed up in steps, as Pillow does, which differs in the last bits from a product.
std::vector<std::int64_t> nearest_places(std::int64_t in, std::int64_t out) {
  const double step = static_cast<double>(in) / static_cast<double>(out);
  double place = step * 0.5;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < out; ++i, place += step) places.push_back(static_cast<std::int64_t>(place));
  return places;
}

Image resize_nearest(const Image& image, ImageSize size) {
  const std::vector<std::int64_t> columns = nearest_places(image.width, size.width);
  const std::vector<std::int64_t> rows = nearest_places(image.height, size.height);
  Image result(size);
  for (std::int64_t y = 0; y < size.height; ++y) {
    if (rows[y] >= image.height) continue;  // rounding may lead past the end; it is black there, as in Pillow
    for (std::int64_t x = 0; x < size.width; ++x) {
      if (columns[x] >= image.width) continue;
      std::memcpy(result.row(y) + x * kImageChannels, image.row(rows[y]) + columns[x] * kImageChannels, kImageChannels);
    }
  }
  return result;
}

void check_resized(ImageSize size) {
  if (fits(size)) return;
  throw bad_value("image size", fmt::format("{} x {}", size.width, size.height),
                  fmt::format("lengths of at least 1 and at most {} pixels in all", kLargestImagePixels));
}

// The order decides about the last bit. Pillow 13 begins with the columns where they lose more than twice the pixels
// that rows lose (python-pillow/Pillow#9549); earlier releases always begin with the rows. The reference is
// Pillow 13.0: this rule gave its order in 15,373 of 15,373 random cases in which the two orders differ.
bool columns_first(ImageSize from, ImageSize to) {
  return to.height < from.height && from.height - to.height > 2 * (from.width - to.width);
}

}  // namespace

std::string_view name_of(ResampleFilter filter) {
  constexpr std::array<std::string_view, 6> kNames{"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
  return kNames.at(static_cast<std::size_t>(filter));
}

Image resize_image(const Image& image, ImageSize size, ResampleFilter filter) {
  check_resized(size);
  if (image.size() == size) return image;
  if (filter == ResampleFilter::kNearest) return resize_nearest(image, size);
  if (image.height == size.height) return resize_rows(image, size.width, filter);
  if (image.width == size.width) return resize_columns(image, size.height, filter);
  // In this order the image between the passes is never larger than the larger of the two others.
  if (columns_first(image.size(), size)) {
    return resize_rows(resize_columns(image, size.height, filter), size.width, filter);
  }
  return resize_columns(resize_rows(image, size.width, filter), size.height, filter);
}

}  // namespace transformeter
