// The image processors of Transformers that are offered, each with what its class does where a file says nothing.
#pragma once

#include <string>
#include <string_view>

#include "images/image_processor_options.h"

namespace transformeter {

struct ImageProcessorClass {
  std::string_view name;  // as image_processor_type has it, without an ending
  ImageProcessorOptions defaults{};
  bool has_crop_size = false;     // else the file must give one where it asks for a crop
  bool default_to_square = true;  // whether a size of one number means a square, or the shorter edge
};

/// By the value of image_processor_type or feature_extractor_type: "ViTImageProcessor", also with the ending "Fast" or
/// "Pil", and "ViTFeatureExtractor". Throws Error(kBadInput) naming those allowed.
const ImageProcessorClass& find_image_processor_class(std::string_view type, const std::string& where);

}  // namespace transformeter
