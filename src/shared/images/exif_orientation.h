// How a camera was held, as metadata of an image file say it, and turning an image upright by it.
#pragma once

#include <optional>
#include <string_view>

#include "images/image.h"

namespace transformeter {

/// The tag Orientation of EXIF data, with or without its heading "Exif\0\0": 1 to 8 where it is valid, but as it
/// stands. Nothing where the tag is missing or the data are broken, which says nothing of the pixels.
std::optional<std::int64_t> exif_orientation(std::string_view exif);

/// The same of an XMP packet, where Pillow looks when EXIF does not say.
std::optional<std::int64_t> xmp_orientation(std::string_view xmp);

/// The image as it was seen, by an orientation of EXIF 2.3, 4.6.4: row 0 and column 0 of the file lie at 1 top and
/// left, 2 top and right, 3 bottom and right, 4 bottom and left, 5 left and top, 6 right and top, 7 right and bottom, 8
/// left and bottom. Other numbers than 2 to 8 leave it as it is.
Image upright_image(Image image, std::int64_t orientation);

}  // namespace transformeter
