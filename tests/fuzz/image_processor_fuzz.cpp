// preprocessor_config.json, and what an image processor made from it does to a small image.
#include <algorithm>
#include <variant>
#include <vector>

#include "fuzz_support.h"
#include "images/image_processor.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

// The longest edge that the image may get on its way, resized but not yet cropped.
static std::int64_t longest_edge(const ImageProcessorOptions& options, const ImageSize& result) {
  std::int64_t edge = std::max(result.height, result.width);
  if (const auto* exact = std::get_if<ImageSize>(&options.size)) edge = std::max({edge, exact->height, exact->width});
  if (const auto* edges = std::get_if<EdgeSize>(&options.size)) edge = std::max(edge, 2 * edges->shortest);
  return options.crop_pct ? static_cast<std::int64_t>(static_cast<double>(edge) / *options.crop_pct) : edge;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const Json json = parse_json("input", bytes_of(data, size));
    const ImageProcessor processor(parse_image_processor_options(json, "input"));
    const Image image({5, 7});
    const ImageSize result = processor.output_size(image.size());
    require(result.height >= 1 && result.width >= 1, "the size of the result");
    if (longest_edge(processor.options(), result) > 1000) return;  // no fault, but not for this memory limit
    std::vector<float> values(static_cast<std::size_t>(3 * result.height * result.width));
    processor.process(image, values);
  });
  return 0;
}
