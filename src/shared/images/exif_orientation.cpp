// EXIF data are a small TIFF file: a heading with byte order and place of the first directory, whose entries are of 12
// bytes each: tag, type, count, and the value or its place (TIFF 6.0, section 2).
#include "images/exif_orientation.h"

#include <cstring>
#include <utility>

namespace transformeter {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;

// Unsigned numbers of a TIFF file; nothing beyond its end.
class TiffBytes {
 public:
  TiffBytes(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = big_endian_ ? at + i : at + size - 1 - i;
      value = value << 8U | static_cast<std::uint8_t>(bytes_[place]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

// The first value of an entry of type SHORT or LONG, signed ones too: in the entry itself if all its values fit there.
std::optional<std::int64_t> entry_value(const TiffBytes& tiff, std::size_t entry) {
  const auto type = tiff.number(entry + 2, 2);
  const auto count = tiff.number(entry + 4, 4);
  if (!type || !count || *count == 0) return std::nullopt;
  const bool is_short = *type == 3 || *type == 8;
  const bool is_long = *type == 4 || *type == 9;
  if (!is_short && !is_long) return std::nullopt;
  std::size_t place = entry + 8;
  if (*count > (is_short ? 2U : 1U)) {
    const auto elsewhere = tiff.number(place, 4);
    if (!elsewhere) return std::nullopt;
    place = *elsewhere;
  }
  return tiff.number(place, is_short ? 2 : 4);
}

}  // namespace

std::optional<std::int64_t> exif_orientation(std::string_view exif) {
  constexpr std::string_view kHeading("Exif\0\0", 6);
  for (int i = 0; i < 2 && exif.starts_with(kHeading); ++i) exif.remove_prefix(kHeading.size());
  const bool big_endian = exif.starts_with(std::string_view("MM\0*", 4));
  if (!big_endian && !exif.starts_with(std::string_view("II*\0", 4))) return std::nullopt;
  const TiffBytes tiff(exif, big_endian);
  const auto directory = tiff.number(4, 4);
  if (!directory) return std::nullopt;
  const auto entries = tiff.number(*directory, 2);
  for (std::size_t i = 0; entries && i < *entries; ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + 12 * i;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return std::nullopt;
    if (*tag == kOrientationTag) return entry_value(tiff, entry);
  }
  return std::nullopt;
}

std::optional<std::int64_t> xmp_orientation(std::string_view xmp) {
  constexpr std::string_view kName = "tiff:Orientation";
  for (std::size_t at = xmp.find(kName); at != std::string_view::npos; at = xmp.find(kName, at + 1)) {
    std::string_view rest = xmp.substr(at + kName.size());
    if (rest.starts_with("=\"")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with('>')) {
      rest.remove_prefix(1);
    } else {
      continue;
    }
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') return rest[0] - '0';
  }
  return std::nullopt;
}

Image upright_image(Image image, std::int64_t orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const bool sides_swap = orientation >= 5;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Image upright(sides_swap ? ImageSize{image.width, image.height} : image.size());
  // In the file, steps to the next row and column, and the place of the first pixel of the upright image.
  std::int64_t down = from_bottom ? -image.row_bytes() : image.row_bytes();
  std::int64_t right = from_right ? -kImageChannels : kImageChannels;
  const std::uint8_t* row = image.row(from_bottom ? image.height - 1 : 0);
  if (from_right) row += (image.width - 1) * kImageChannels;
  if (sides_swap) std::swap(down, right);
  for (std::int64_t y = 0; y < upright.height; ++y) {
    std::uint8_t* to = upright.row(y);
    for (std::int64_t x = 0; x < upright.width; ++x)
      std::memcpy(to + x * kImageChannels, row + x * right, kImageChannels);
    row += down;
  }
  return upright;
}

}  // namespace transformeter
