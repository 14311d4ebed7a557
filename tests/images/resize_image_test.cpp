// Resizing and cropping against Pillow and Transformers.
#include "images/resize_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "images/center_crop.h"
#include "images/decode_image.h"
#include "images/image_reference.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

TEST(ResizeImage, GivesPillowsPixelsWithEveryFilter) {
  const Image photo = decode_image(image_data() / "photo.png");
  const Json reference = image_reference("reference.json");
  for (const Json& expected : reference.at("resized")) {
    const auto filter = static_cast<ResampleFilter>(expected.at("filter").get<int>());
    const Image resized = resize_image(photo, size_in(expected), filter);
    EXPECT_EQ(digest_of(resized), expected.at("sha256")) << name_of(filter) << " " << expected;
  }
}

// Else the test above could pass with one filter for all. All agree on one thing: an image of one length is an average.
TEST(ResizeImage, TheReferencesOfTheFiltersDiffer) {
  std::map<std::string, std::set<std::string>> digests;
  const Json reference = image_reference("reference.json");
  for (const Json& expected : reference.at("resized")) {
    digests[Json{expected.at("height"), expected.at("width")}.dump()].insert(expected.at("sha256").get<std::string>());
  }
  EXPECT_EQ(digests.size(), 11U);
  for (const auto& [size, of_filters] : digests) {
    EXPECT_GE(of_filters.size(), size == "[1,1]" ? 2U : 5U) << size;  // enlarged, box is nearest
  }
  EXPECT_EQ(digests["[16,12]"].size(), 6U);
}

TEST(ResizeImage, AnImageOfOneColourKeepsIt) {
  Image image({9, 13});
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = i % 3 == 0 ? 255 : 77;
  for (const auto filter : {ResampleFilter::kNearest, ResampleFilter::kLanczos, ResampleFilter::kBicubic}) {
    const Image resized = resize_image(image, {31, 5}, filter);
    for (std::size_t i = 0; i < resized.pixels.size(); ++i) ASSERT_EQ(resized.pixels[i], i % 3 == 0 ? 255 : 77) << i;
  }
}

// Two black and two white columns halved by a box: each pixel of the result is the mean of its two.
TEST(ResizeImage, ABoxAveragesThePixelsItCovers) {
  Image image({1, 4});
  image.pixels = {0, 0, 0, 10, 20, 31, 100, 100, 100, 200, 201, 255};
  EXPECT_THAT(resize_image(image, {1, 2}, ResampleFilter::kBox).pixels, testing::ElementsAre(5, 10, 16, 150, 151, 178));
}

TEST(ResizeImage, RefusesSizesOutOfRange) {
  const Image image({2, 2});
  for (const ImageSize size : {ImageSize{0, 5}, ImageSize{5, -1}, ImageSize{100'000, 100'000}}) {
    try {
      resize_image(image, size, ResampleFilter::kBilinear);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("at most 178956970 pixels"));
    }
  }
}

TEST(CenterCrop, CutsAndPadsAsTransformers) {
  const Image photo = decode_image(image_data() / "photo.png");
  const Json reference = image_reference("reference.json");
  for (const Json& expected : reference.at("cropped")) {
    EXPECT_EQ(digest_of(center_crop(photo, size_in(expected))), expected.at("sha256")) << expected;
  }
}

// Of 4 columns 3 are kept: the first ones, since half of 1 is rounded down. Padded to 7, 2 are added before, 1 behind.
TEST(CenterCrop, OddDifferencesAreRoundedDownWhenCutAndUpWhenPadded) {
  Image image({1, 4});
  image.pixels = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
  EXPECT_THAT(center_crop(image, {1, 3}).pixels, testing::ElementsAre(1, 1, 1, 2, 2, 2, 3, 3, 3));
  const Image padded = center_crop(image, {1, 7});
  EXPECT_THAT(padded.pixels, testing::ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 0, 0, 0));
}

TEST(CenterCrop, RefusesSizesOutOfRange) {
  EXPECT_THROW(center_crop(Image({2, 2}), {0, 1}), Error);
  EXPECT_THROW(center_crop(Image({2, 2}), {100'000, 100'000}), Error);
}

}  // namespace
}  // namespace transformeter
