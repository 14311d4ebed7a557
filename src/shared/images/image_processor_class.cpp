// Defaults as of Transformers 5.23, transformers/models/*/image_processing_pil_*.py.
#include "images/image_processor_class.h"

#include <array>
#include <variant>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

using Channels = std::array<double, 3>;
using Size = std::variant<ImageSize, EdgeSize>;

constexpr Size kSquare224 = ImageSize{224, 224};
constexpr Size kEdge224 = EdgeSize{224};
constexpr Channels kClipMean{0.48145466, 0.4578275, 0.40821073};
constexpr Channels kClipStd{0.26862954, 0.26130258, 0.27577711};

// What they share: 0.5 as mean and deviation. The size comes first, since clang 14 cannot assign one to a constant.
constexpr ImageProcessorClass plain_class(std::string_view name, Size size, bool default_to_square) {
  ImageProcessorClass result{.name = name, .defaults = {.size = size}, .default_to_square = default_to_square};
  result.defaults.resample = ResampleFilter::kBicubic;
  return result;
}

constexpr ImageProcessorClass vit_class() {
  ImageProcessorClass result = plain_class("ViTImageProcessor", kSquare224, true);
  result.defaults.resample = ResampleFilter::kBilinear;
  return result;
}

constexpr ImageProcessorClass deit_class() {
  ImageProcessorClass result = plain_class("DeiTImageProcessor", ImageSize{256, 256}, true);
  result.defaults.do_center_crop = true;
  result.has_crop_size = true;
  return result;
}

constexpr ImageProcessorClass beit_class() {
  ImageProcessorClass result = plain_class("BeitImageProcessor", kSquare224, true);
  result.has_crop_size = true;
  return result;
}

constexpr ImageProcessorClass clip_class(std::string_view name) {
  ImageProcessorClass result = plain_class(name, kEdge224, false);
  result.defaults.do_center_crop = true;
  result.defaults.image_mean = kClipMean;
  result.defaults.image_std = kClipStd;
  result.has_crop_size = true;
  return result;
}

constexpr ImageProcessorClass convnext_class() {
  ImageProcessorClass result = plain_class("ConvNextImageProcessor", EdgeSize{384}, false);
  result.defaults.crop_pct = 224.0 / 256;
  return result;
}

constexpr std::array<ImageProcessorClass, 7> kClasses{
    vit_class(),
    deit_class(),
    beit_class(),
    clip_class("CLIPImageProcessor"),
    plain_class("SiglipImageProcessor", kSquare224, false),
    convnext_class(),
    clip_class("BitImageProcessor"),
};

std::string_view without_ending(std::string_view text, std::string_view ending) {
  return text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : text;
}

}  // namespace

const ImageProcessorClass& find_image_processor_class(std::string_view type, const std::string& where) {
  constexpr std::string_view kOldEnding = "FeatureExtractor";
  std::string name(without_ending(without_ending(type, "Fast"), "Pil"));
  if (name.ends_with(kOldEnding)) name = name.substr(0, name.size() - kOldEnding.size()) + "ImageProcessor";
  std::vector<std::string> allowed;
  for (const ImageProcessorClass& known : kClasses) {
    if (known.name == name) return known;
    allowed.emplace_back(known.name);
  }
  throw unknown_value(where + ": image processor", type, allowed);
}

}  // namespace transformeter
