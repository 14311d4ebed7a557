// JPEG and PNG files as images: the pixels that Pillow gives, and so those that Transformers gives to a model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "images/image.h"

namespace transformeter {

struct DecodeLimits {
  std::int64_t pixels = kLargestImagePixels;  // larger images are refused before their pixels are allocated
  int jpeg_scans = 500;                       // a progressive JPEG is decoded once a scan; encoders write about 10
};

/// The image upright, as RGB: equal to PIL.ImageOps.exif_transpose(PIL.Image.open(path)).convert("RGB") pixel for
/// pixel. The content decides the format, not the file's name. Grey becomes equal red, green and blue, alpha is
/// dropped, and of 16 bits a channel the upper 8 stay (of grey alone: values above 255 become 255, as in Pillow).
/// Throws Error(kBadInput) that names the file: not readable, neither JPEG nor PNG, truncated, broken, or beyond a
/// limit.
Image decode_image(const std::filesystem::path& path, const DecodeLimits& limits = {});

/// The same of a file's bytes; `name` stands for the file in errors.
Image decode_image(std::string_view bytes, const std::string& name, const DecodeLimits& limits = {});

}  // namespace transformeter
