// Which format a file has, and the errors that both formats' decoders throw.
#include "images/decode_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "images/exif_orientation.h"
#include "images/image_file.h"

namespace transformeter {
namespace {

constexpr std::string_view kJpegStart = "\xFF\xD8\xFF";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1A\n";

struct KnownFormat {
  std::string_view name;
  std::size_t at = 0;  // where the bytes below stand
  std::string_view bytes;
};

// Formats that are not read, so that an error can say what the file is.
constexpr std::array<KnownFormat, 8> kOtherFormats{{
    {"GIF", 0, "GIF8"},
    {"WebP", 8, "WEBP"},
    {"TIFF", 0, {"II*\0", 4}},
    {"TIFF", 0, {"MM\0*", 4}},
    {"AVIF", 4, "ftypavif"},
    {"HEIF", 4, "ftyp"},
    {"JPEG 2000", 4, "jP  "},
    {"BMP", 0, "BM"},
}};

std::string found_format(std::string_view bytes) {
  for (const KnownFormat& format : kOtherFormats) {
    if (bytes.size() > format.at && bytes.substr(format.at).starts_with(format.bytes)) {
      return fmt::format("it is a {} file", format.name);
    }
  }
  return "its format is not known";
}

}  // namespace

Error refused_image(const std::string& name, std::string_view reason, std::string_view hint) {
  return refused_value("image", name, reason, hint);
}

Error truncated_image(const std::string& name, std::string_view format) {
  return refused_image(name, fmt::format("its {} data end too early", format), "Copy or download the file again");
}

Error broken_image(const std::string& name, std::string_view format, std::string_view reason) {
  return refused_image(name, fmt::format("its {} data are broken ({})", format, reason),
                       "Copy or download the file again, or save it again with an image editor");
}

void check_image_size(const std::string& name, ImageSize size, const DecodeLimits& limits) {
  if (size.height < 1 || size.width < 1) {
    throw refused_image(name, fmt::format("it has {} x {} pixels", size.width, size.height),
                        "Images need at least one");
  }
  if (std::max(size.height, size.width) > kLongestImageEdge) {
    throw refused_image(name,
                        fmt::format("it has {} x {} pixels, more than the allowed {} along an edge", size.width,
                                    size.height, kLongestImageEdge),
                        "Scale or cut it before use");
  }
  if (fits(size, limits.pixels)) return;
  throw refused_image(
      name, fmt::format("it has {} x {} pixels, more than the allowed {}", size.width, size.height, limits.pixels),
      "Scale it down before use");
}

Image decode_image(std::string_view bytes, const std::string& name, const DecodeLimits& limits) {
  const bool is_jpeg = bytes.starts_with(kJpegStart);
  if (!is_jpeg && !bytes.starts_with(kPngStart)) {
    throw refused_image(name, bytes.empty() ? "it is empty" : found_format(bytes), "Allowed formats: JPEG, PNG");
  }
  StoredImage stored = is_jpeg ? decode_jpeg(bytes, name, limits) : decode_png(bytes, name, limits);
  return upright_image(std::move(stored.image), stored.orientation);
}

Image decode_image(const std::filesystem::path& path, const DecodeLimits& limits) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw refused_image(path.string(), "it is a folder", "Give one JPEG or PNG file");
  }
  return decode_image(read_file(path), path.string(), limits);
}

}  // namespace transformeter
