// JPEG and PNG files, and an image processor on what was decoded. Limits are low, as a few KiB may hold any number of
// pixels.
#include <cmath>
#include <vector>

#include "fuzz_support.h"
#include "images/decode_image.h"
#include "images/image_processor.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr DecodeLimits kLimits{.pixels = 1 << 18, .jpeg_scans = 20};
  expect_read_or_error([&] {
    const Image image = decode_image(bytes_of(data, size), "input", kLimits);
    require(image.height >= 1 && image.width >= 1 && image.height * image.width <= kLimits.pixels, "the size");
    require(image.pixels.size() == static_cast<std::size_t>(image.height * image.row_bytes()), "the pixels' count");
    const ImageProcessor processor(default_image_processor_options(8));
    std::vector<float> values(3 * 8 * 8, 2);
    processor.process(image, values);
    for (const float value : values) require(std::abs(value) <= 1, "a value lies outside the range");
  });
  return 0;
}
