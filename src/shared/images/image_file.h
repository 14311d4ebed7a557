// What the decoders of the formats share.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "images/decode_image.h"

namespace transformeter {

/// As it lies in the file, with the orientation that its metadata give: 1 where they say nothing.
struct StoredImage {
  Image image;
  std::int64_t orientation = 1;
};

/// Throw Error(kBadInput) that names the file.
StoredImage decode_jpeg(std::string_view bytes, const std::string& name, const DecodeLimits& limits);
StoredImage decode_png(std::string_view bytes, const std::string& name, const DecodeLimits& limits);

/// "image 'NAME' is not valid: REASON. HINT"
Error refused_image(const std::string& name, std::string_view reason, std::string_view hint);
/// Of a file whose end is missing.
Error truncated_image(const std::string& name, std::string_view format);
/// Of a file whose content the format's library refuses, with the library's reason.
Error broken_image(const std::string& name, std::string_view format, std::string_view reason);

/// Throws unless both edges have 1 to kLongestImageEdge pixels, and both together at most limits.pixels.
void check_image_size(const std::string& name, ImageSize size, const DecodeLimits& limits);

}  // namespace transformeter
