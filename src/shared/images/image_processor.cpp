// The order of the steps, and their arithmetic, are those of Transformers' PilBackend: rescaled in fp64 and rounded to
// fp32, then normalized in fp32.
#include "images/image_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "images/center_crop.h"
#include "images/resize_image.h"

namespace transformeter {
namespace {

std::int64_t truncated(double value) {
  return static_cast<std::int64_t>(value);
}

// The size at which the shorter edge has `shortest` pixels; the longer one's fraction is dropped.
ImageSize size_of_shortest(ImageSize image, std::int64_t shortest) {
  const auto [short_edge, long_edge] = std::minmax(image.height, image.width);
  const std::int64_t longer = truncated(static_cast<double>(shortest * long_edge) / static_cast<double>(short_edge));
  return image.width <= image.height ? ImageSize{longer, shortest} : ImageSize{shortest, longer};
}

// The same with a limit on the longer edge, as DETR's rule has it: the shorter edge is rounded to even halves, and the
// longer one follows from what it was before.
ImageSize size_of_edges(ImageSize image, const EdgeSize& edges) {
  const auto shorter = static_cast<double>(std::min(image.height, image.width));
  const auto longer = static_cast<double>(std::max(image.height, image.width));
  const auto longest = static_cast<double>(*edges.longest);
  std::int64_t shortest = edges.shortest;
  auto exact = static_cast<double>(shortest);
  if (longer / shorter * exact > longest) {
    exact = longest * shorter / longer;
    shortest = std::llrint(exact);
  }
  if (std::min(image.height, image.width) == shortest) return image;
  const auto height = static_cast<double>(image.height);
  const auto width = static_cast<double>(image.width);
  if (image.width < image.height) return {truncated(exact * height / width), shortest};
  return {shortest, truncated(exact * width / height)};
}

// What an image is resized to before anything is cut off.
ImageSize resized_size(ImageSize image, const ImageProcessorOptions& options) {
  if (!options.do_resize) return image;
  if (const auto* exact = std::get_if<ImageSize>(&options.size)) return *exact;
  const EdgeSize& edges = std::get<EdgeSize>(options.size);
  if (!options.crop_pct) return edges.longest ? size_of_edges(image, edges) : size_of_shortest(image, edges.shortest);
  if (!convnext_crops(options)) return {edges.shortest, edges.shortest};
  return size_of_shortest(image, truncated(static_cast<double>(edges.shortest) / *options.crop_pct));
}

// The square that ConvNeXt cuts out of what was resized.
std::optional<ImageSize> convnext_crop(const ImageProcessorOptions& options) {
  if (!options.do_resize || !options.crop_pct) return std::nullopt;
  const std::int64_t shortest = std::get<EdgeSize>(options.size).shortest;
  return ImageSize{shortest, shortest};
}

void check_length(std::string_view what, std::int64_t length) {
  if (length >= 1 && length * length <= kLargestImagePixels) return;
  throw bad_value(
      what, std::to_string(length),
      "a whole number of pixels, at least 1, whose square has at most " + std::to_string(kLargestImagePixels));
}

void check_sizes(const ImageProcessorOptions& options) {
  if (const auto* exact = std::get_if<ImageSize>(&options.size)) {
    check_length("size: height", exact->height);
    check_length("size: width", exact->width);
  } else {
    const EdgeSize& edges = std::get<EdgeSize>(options.size);
    check_length("size: shortest_edge", edges.shortest);
    if (edges.longest) check_length("size: longest_edge", *edges.longest);
  }
  if (options.do_center_crop) {
    check_length("crop_size: height", options.crop_size.height);
    check_length("crop_size: width", options.crop_size.width);
  }
}

// 0.01 already means resizing to 100 times the size.
void check_crop_pct(const ImageProcessorOptions& options) {
  if (!options.crop_pct || !options.do_resize) return;
  if (std::holds_alternative<ImageSize>(options.size)) {
    throw Error(ErrorKind::kBadInput,
                "size: ConvNextImageProcessor needs {\"shortest_edge\"}, not a height and a width");
  }
  if (!convnext_crops(options) || (*options.crop_pct >= 0.01 && *options.crop_pct <= 1)) return;
  throw bad_value("crop_pct", fmt::format("{}", *options.crop_pct), "a number from 0.01 to 1");
}

void check_levels(const ImageProcessorOptions& options) {
  if (options.do_rescale && !std::isfinite(options.rescale_factor)) {
    throw bad_value("rescale_factor", fmt::format("{}", options.rescale_factor), "a finite number");
  }
  if (!options.do_normalize) return;
  for (const double mean : options.image_mean) {
    if (!std::isfinite(mean)) throw bad_value("image_mean", fmt::format("{}", mean), "finite numbers");
  }
  for (const double deviation : options.image_std) {
    if (std::isfinite(deviation) && static_cast<float>(deviation) != 0) continue;
    throw bad_value("image_std", fmt::format("{}", deviation), "finite numbers other than 0, which divide the values");
  }
}

float value_of_level(int level, std::size_t channel, const ImageProcessorOptions& options) {
  auto value = static_cast<float>(level);
  if (options.do_rescale) value = static_cast<float>(level * options.rescale_factor);
  if (!options.do_normalize) return value;
  return (value - static_cast<float>(options.image_mean[channel])) / static_cast<float>(options.image_std[channel]);
}

}  // namespace

ImageProcessor::ImageProcessor(const ImageProcessorOptions& options) : options_(options) {
  check_sizes(options);
  check_crop_pct(options);
  check_levels(options);
  for (std::size_t c = 0; c < values_.size(); ++c) {
    for (int level = 0; level < 256; ++level)
      values_[c][static_cast<std::size_t>(level)] = value_of_level(level, c, options);
  }
}

ImageProcessor ImageProcessor::read(const std::filesystem::path& preprocessor_config) {
  const ImageProcessorOptions options = read_image_processor_options(preprocessor_config);
  try {
    return ImageProcessor(options);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", preprocessor_config.string(), error.what()));
  }
}

std::optional<ImageSize> ImageProcessor::fixed_size() const {
  if (options_.do_center_crop) return options_.crop_size;
  if (const auto crop = convnext_crop(options_)) return crop;
  const auto* exact = std::get_if<ImageSize>(&options_.size);
  return options_.do_resize && exact != nullptr ? std::optional(*exact) : std::nullopt;
}

std::int64_t ImageProcessor::height() const {
  if (const auto size = fixed_size()) return size->height;
  throw Error(
      ErrorKind::kUnsupported,
      "this image processor gives images of different sizes, which do not fit into one batch. Give it a size with "
      "height and width, or do_center_crop with a crop_size");
}

std::int64_t ImageProcessor::width() const {
  height();  // or throws
  return fixed_size()->width;
}

ImageSize ImageProcessor::output_size(ImageSize image) const {
  if (image.height < 1 || image.width < 1) {
    throw bad_value("image size", fmt::format("{} x {}", image.width, image.height), "at least 1 x 1 pixels");
  }
  const ImageSize resized = resized_size(image, options_);
  if (!fits(resized)) {
    throw refused_value(
        "image size", fmt::format("{} x {}", image.width, image.height),
        fmt::format("this image processor would resize it to {} x {}", resized.width, resized.height),
        fmt::format("At most {} pixels are allowed, and at least 1. Is the image that narrow?", kLargestImagePixels));
  }
  return fixed_size().value_or(resized);
}

void ImageProcessor::process(const Image& image, std::span<float> pixel_values) const {
  const ImageSize size = output_size(image.size());
  const auto plane = static_cast<std::size_t>(size.height * size.width);
  if (pixel_values.size() != plane * values_.size()) {
    throw Error(ErrorKind::kInternal, fmt::format("room for {} pixel values, not for 3 x {} x {}", pixel_values.size(),
                                                  size.height, size.width));
  }
  Image changed;
  const Image* current = &image;
  const auto change = [&](Image next) {
    changed = std::move(next);
    current = &changed;
  };
  const ImageSize resized = resized_size(image.size(), options_);
  if (current->size() != resized) change(resize_image(*current, resized, options_.resample));
  const auto crop = convnext_crop(options_);
  if (crop && current->size() != *crop) change(center_crop(*current, *crop));
  if (options_.do_center_crop && current->size() != size) change(center_crop(*current, size));
  const std::uint8_t* pixels = current->pixels.data();
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < values_.size(); ++c) {
      pixel_values[c * plane + i] = values_[c][pixels[i * values_.size() + c]];
    }
  }
}

}  // namespace transformeter
