// From an image to the values that a vision model reads: resized, cropped, rescaled and normalized.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "images/image.h"
#include "images/image_processor_options.h"

namespace transformeter {

/// Does what the PIL-backed image processors of Transformers do (ViTImageProcessorPil and the like), with equal
/// results. Immutable: threads may share one.
class ImageProcessor {
 public:
  /// Throws Error(kBadInput) when the options contradict each other, or a size, crop_pct, scale or standard deviation
  /// is out of range.
  explicit ImageProcessor(const ImageProcessorOptions& options);

  /// From a checkpoint's preprocessor_config.json; see read_image_processor_options().
  static ImageProcessor read(const std::filesystem::path& preprocessor_config);

  const ImageProcessorOptions& options() const { return options_; }

  /// Of the result where all images get the same one, as in all common checkpoints; nothing where it depends on the
  /// image.
  std::optional<ImageSize> fixed_size() const;
  /// Of fixed_size(). Throws Error(kUnsupported) when there is none: such images do not fit into one batch.
  std::int64_t height() const;
  std::int64_t width() const;

  /// Of the result for an image of that size. Throws Error(kBadInput) when it would be empty or too large.
  ImageSize output_size(ImageSize image) const;

  /// Writes [3, output height, output width], red first. `pixel_values` has exactly that many elements.
  /// Throws Error(kBadInput) as output_size(), and Error(kInternal) on a span of another length.
  void process(const Image& image, std::span<float> pixel_values) const;

 private:
  ImageProcessorOptions options_;
  // Of each channel, the value of each of the 256 levels: rescaling and normalizing are exact and cost one look-up.
  std::array<std::array<float, 256>, 3> values_{};
};

}  // namespace transformeter
