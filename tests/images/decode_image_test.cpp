// Decoding against Pillow's pixels, and files that must be refused.
#include "images/decode_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "images/image_reference.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string bytes_of_file(const std::string& name) {
  return read_file(image_data() / name);
}

// What decoding says, and that it is the input's fault.
std::string refusal(std::string_view bytes, const DecodeLimits& limits = {}) {
  try {
    decode_image(bytes, "photo", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(DecodeImage, GivesPillowsPixelsForEveryKindOfFile) {
  const Json reference = image_reference("reference.json");
  for (const auto& [name, expected] : reference.at("files").items()) {
    const Image image = decode_image(image_data() / name);
    EXPECT_EQ(image.size(), size_in(expected)) << name;
    EXPECT_EQ(digest_of(image), expected.at("sha256")) << name;
  }
}

// Else the test above could pass with a decoder that ignores the orientation, the palette or the sampling of colour.
TEST(DecodeImage, TheFilesOfTheTestDiffer) {
  const Json reference = image_reference("reference.json");
  const auto different = [&](const std::vector<std::string>& names) {
    std::set<std::string> digests;
    for (const std::string& name : names)
      digests.insert(reference.at("files").at(name).at("sha256").get<std::string>());
    return digests.size() == names.size();
  };
  EXPECT_TRUE(different({"oriented_1.jpg", "oriented_2.jpg", "oriented_3.jpg", "oriented_4.jpg", "oriented_5.jpg",
                         "oriented_6.jpg", "oriented_7.jpg", "oriented_8.jpg"}));
  EXPECT_TRUE(different({"444.jpg", "422.jpg", "420.jpg", "keep_rgb.jpg", "grey.jpg"}));
  EXPECT_TRUE(different({"cmyk.jpg", "ycck.jpg"}));
  EXPECT_TRUE(different({"grey_8.png", "grey_16.png", "rgb_8.png", "rgb_16.png", "palette_8.png", "palette_4.png"}));
  EXPECT_TRUE(different({"oriented_exif_before.png", "oriented_xmp.png"}));
  EXPECT_EQ(reference.at("files").at("oriented_0.jpg"), reference.at("files").at("oriented_1.jpg"));
  EXPECT_EQ(reference.at("files").at("oriented_9.jpg"), reference.at("files").at("oriented_1.jpg"));
}

TEST(DecodeImage, TheContentDecidesTheFormat) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "really_a_jpeg.png";
  write_file_atomically(path, bytes_of_file("420.jpg"));
  EXPECT_EQ(digest_of(decode_image(path)), digest_of(decode_image(image_data() / "420.jpg")));
}

TEST(DecodeImage, RefusesEveryTruncationOfAJpeg) {
  const std::string bytes = bytes_of_file("420.jpg");
  for (std::size_t size = 3; size < bytes.size(); ++size) {
    ASSERT_THAT(refusal(std::string_view(bytes).substr(0, size)), HasSubstr("its JPEG data")) << size << " bytes";
  }
  EXPECT_THAT(refusal(std::string_view(bytes).substr(0, bytes.size() - 300)),
              "image 'photo' is not valid: its JPEG data end too early. Copy or download the file again");
}

TEST(DecodeImage, RefusesATruncatedProgressiveJpeg) {
  const std::string bytes = bytes_of_file("progressive.jpg");
  EXPECT_THAT(refusal(std::string_view(bytes).substr(0, bytes.size() * 2 / 3)), HasSubstr("end too early"));
}

// The pixels are whole where the file lacks no more than its last chunk, IEND, of 12 bytes, the CRC of the one before,
// and zlib's checksum, of 4 bytes each.
TEST(DecodeImage, RefusesEveryTruncationOfAPngThatLosesPixels) {
  for (const char* name : {"rgb_8.png", "rgb_8_interlaced.png", "grey_16.png"}) {
    const std::string bytes = bytes_of_file(name);
    for (std::size_t size = 8; size < bytes.size() - 20; ++size) {
      ASSERT_THAT(refusal(std::string_view(bytes).substr(0, size)), HasSubstr("its PNG data")) << name << ", " << size;
    }
    EXPECT_EQ(refusal(std::string_view(bytes).substr(0, bytes.size() - 12)), "") << name;
  }
}

TEST(DecodeImage, RefusesAPngWithAFlippedBit) {
  std::string bytes = bytes_of_file("rgb_8.png");
  bytes[60] = static_cast<char>(bytes[60] ^ 1);
  EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("'photo'"), HasSubstr("its PNG data are broken ("), HasSubstr("again")));
}

TEST(DecodeImage, RefusesBrokenJpegHeadersWithTheLibrarysReason) {
  std::string bytes = bytes_of_file("444.jpg");
  bytes[bytes.find("\xFF\xC0") + 4] = 12;  // bits of a level
  EXPECT_THAT(refusal(bytes), HasSubstr("its JPEG data are broken (Unsupported JPEG data precision 12)"));
}

TEST(DecodeImage, RefusesOtherFormatsByName) {
  EXPECT_EQ(refusal(""), "image 'photo' is not valid: it is empty. Allowed formats: JPEG, PNG");
  EXPECT_EQ(refusal("GIF89a..."), "image 'photo' is not valid: it is a GIF file. Allowed formats: JPEG, PNG");
  EXPECT_THAT(refusal("RIFF....WEBPVP8 "), HasSubstr("it is a WebP file"));
  EXPECT_THAT(refusal(std::string_view("II*\0....", 8)), HasSubstr("it is a TIFF file"));
  EXPECT_THAT(refusal("....ftypheic"), HasSubstr("it is a HEIF file"));
  EXPECT_THAT(refusal("....ftypavif"), HasSubstr("it is a AVIF file"));
  EXPECT_THAT(refusal("no image at all"), HasSubstr("its format is not known"));
}

TEST(DecodeImage, RefusesFoldersAndMissingFiles) {
  const TemporaryFolder folder;
  try {
    decode_image(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(folder.path().string()), HasSubstr("it is a folder. Give one")));
  }
  try {
    decode_image(folder.path() / "missing.jpg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("missing.jpg"), HasSubstr("No such file")));
  }
}

// 60000 x 60000 pixels would take 11 GB.
TEST(DecodeImage, RefusesFilesThatClaimTooManyPixelsBeforeTheyAreAllocated) {
  EXPECT_EQ(refusal(bytes_of_file("bomb.png")),
            "image 'photo' is not valid: it has 60000 x 60000 pixels, more than the allowed 178956970. Scale it down "
            "before use");
  EXPECT_THAT(refusal(bytes_of_file("bomb.jpg")), HasSubstr("it has 65000 x 65000 pixels"));
  EXPECT_THAT(refusal(bytes_of_file("bomb_long.png")),
              HasSubstr("1000001 x 1 pixels, more than the allowed 1000000 along"));
}

TEST(DecodeImage, TheLimitOnPixelsIsInclusive) {
  const std::string bytes = bytes_of_file("444.jpg");  // 51 x 37
  EXPECT_EQ(refusal(bytes, {.pixels = 51 * 37}), "");
  EXPECT_THAT(refusal(bytes, {.pixels = 51 * 37 - 1}), HasSubstr("more than the allowed 1886"));
}

TEST(DecodeImage, RefusesProgressiveFilesOfTooManyScans) {
  const std::string bytes = bytes_of_file("progressive.jpg");  // of 10 scans
  EXPECT_EQ(refusal(bytes, {.jpeg_scans = 10}), "");
  EXPECT_THAT(refusal(bytes, {.jpeg_scans = 9}), HasSubstr("broken (more than 9 scans)"));
}

}  // namespace
}  // namespace transformeter
