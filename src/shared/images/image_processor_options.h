// What an image processor does to an image, and the reader of preprocessor_config.json, where checkpoints say it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "base/json.h"
#include "images/image.h"
#include "images/resize_image.h"

namespace transformeter {

/// Resizing that keeps the shape: the shorter edge gets `shortest` pixels, or fewer where the longer one would get more
/// than `longest`.
struct EdgeSize {
  std::int64_t shortest = 0;
  std::optional<std::int64_t> longest{};

  bool operator==(const EdgeSize&) const = default;
};

/// Members are named as in preprocessor_config.json. The defaults are those of ViT at 224 x 224.
struct ImageProcessorOptions {
  bool do_resize = true;
  std::variant<ImageSize, EdgeSize> size = ImageSize{224, 224};
  ResampleFilter resample = ResampleFilter::kBilinear;
  /// ConvNeXt's resizing, with `size` an EdgeSize: below 384 the shorter edge gets shortest / crop_pct pixels and the
  /// middle is cut out; from 384 on the image is stretched to a square. Nothing: resized to `size`.
  std::optional<double> crop_pct = {};
  bool do_center_crop = false;
  ImageSize crop_size{224, 224};
  bool do_rescale = true;
  double rescale_factor = 1.0 / 255;
  bool do_normalize = true;
  std::array<double, 3> image_mean{0.5, 0.5, 0.5};  // red, green, blue; after rescaling
  std::array<double, 3> image_std{0.5, 0.5, 0.5};

  bool operator==(const ImageProcessorOptions&) const = default;
};

/// From this shorter edge on ConvNeXt's resizing stretches images and does not crop.
inline constexpr std::int64_t kConvNextStretches = 384;

/// Whether crop_pct matters: ConvNeXt's resizing to a shorter edge below kConvNextStretches.
bool convnext_crops(const ImageProcessorOptions& options);

/// The file that has it in a checkpoint's folder.
inline constexpr const char* kImageProcessorFile = "preprocessor_config.json";

/// For models without such a file: ViT's, at `image_size` x `image_size`.
ImageProcessorOptions default_image_processor_options(std::int64_t image_size);

/// From the JSON of a preprocessor_config.json, or of a processor_config.json that has it as `image_processor`. Missing
/// members have the default of the class that `image_processor_type` (in old files `feature_extractor_type`) names, as
/// in Transformers; a step that is null is not done, and the values of steps that are not done do not matter. `where`
/// names the file in errors. Throws Error(kBadInput) naming the key: no class or one that is not known, a wrong type, a
/// value out of range, or a step that is not offered (padding).
ImageProcessorOptions parse_image_processor_options(const Json& json, const std::string& where);

/// The same of a file.
ImageProcessorOptions read_image_processor_options(const std::filesystem::path& path);

/// The preprocessor_config.json of a ViTImageProcessor that does this; options.size is an ImageSize, and there is no
/// crop_pct.
Json vit_processor_json(const ImageProcessorOptions& options);

}  // namespace transformeter
