// Photos of the tests' public data against Pillow's pixels and the values of Transformers.
#include <gtest/gtest.h>

#include <algorithm>

#include "images/decode_image.h"
#include "images/image_processor.h"
#include "images/image_reference.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

TEST(Photos, GivePillowsPixels) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json reference = image_reference("shared_reference.json");
  for (const auto& [name, expected] : reference.at("files").items()) {
    const Image image = decode_image(shared_data() / "images" / name);
    EXPECT_EQ(image.size(), size_in(expected)) << name;
    EXPECT_EQ(digest_of(image), expected.at("sha256")) << name;
  }
}

TEST(Photos, Cifar10GivesPillowsPixels) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json expected = image_reference("shared_reference.json").at("cifar10");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_data() / "images/cifar10")) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_EQ(paths.size(), expected.at("count").get<std::size_t>());
  StreamHash hash(StreamHash::Kind::kSha256);
  for (const auto& path : paths) {
    const Image image = decode_image(path);
    hash.update({reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size()});
  }
  EXPECT_EQ(hash.hex(), expected.at("sha256"));
}

TEST(Photos, ImageProcessorsGiveTheValuesOfTransformers) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json reference = image_reference("shared_reference.json");
  for (const Json& expected : reference.at("processed")) {
    const auto file = expected.at("file").get<std::string>();
    const Image image = decode_image(shared_data() / "images" / file);
    const ImageProcessor processor(parse_image_processor_options(expected.at("config"), file));
    const ImageSize size = processor.output_size(image.size());
    std::vector<float> values(static_cast<std::size_t>(3 * size.height * size.width));
    processor.process(image, values);
    EXPECT_EQ(digest_of(std::span<const float>(values)), expected.at("sha256")) << expected.at("config") << " " << file;
  }
}

}  // namespace
}  // namespace transformeter
