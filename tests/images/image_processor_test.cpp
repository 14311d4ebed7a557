// Image processors against those of Transformers, and configurations that must be refused.
#include "images/image_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "images/decode_image.h"
#include "images/image_reference.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ImageProcessor processor_of(const Json& config) {
  return ImageProcessor(parse_image_processor_options(config, "preprocessor_config.json"));
}

std::string refusal(const Json& config) {
  try {
    processor_of(config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

Json vit(Json members) {
  members["image_processor_type"] = "ViTImageProcessor";
  return members;
}

std::vector<float> processed(const ImageProcessor& processor, const Image& image) {
  const ImageSize size = processor.output_size(image.size());
  std::vector<float> values(static_cast<std::size_t>(3 * size.height * size.width),
                            std::numeric_limits<float>::quiet_NaN());
  processor.process(image, values);
  return values;
}

TEST(ImageProcessor, GivesTheValuesOfTransformers) {
  const Json reference = image_reference("reference.json");
  for (const Json& expected : reference.at("processed")) {
    const std::string name = expected.at("config").dump() + " " + expected.at("file").get<std::string>();
    const Image image = decode_image(image_data() / expected.at("file").get<std::string>());
    const ImageProcessor processor = processor_of(expected.at("config"));
    const ImageSize size = processor.output_size(image.size());
    ASSERT_EQ(Json({3, size.height, size.width}), expected.at("shape")) << name;
    const std::vector<float> values = processed(processor, image);
    const std::size_t last = expected.at("samples").size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      EXPECT_NEAR(values[i * (values.size() - 1) / last], expected.at("samples")[i].get<double>(), 1e-5) << name;
    }
    EXPECT_EQ(digest_of(std::span<const float>(values)), expected.at("sha256")) << name;
  }
}

// Else the test above could pass with a processor that ignores its configuration.
TEST(ImageProcessor, TheReferencesOfTheConfigurationsDiffer) {
  const Json reference = image_reference("reference.json");
  std::map<std::string, std::string> configs;
  for (const Json& expected : reference.at("processed")) {
    if (expected.at("file") != "photo.png") continue;
    const auto [found, added] = configs.emplace(expected.at("sha256"), expected.at("config").dump());
    // By default CLIP and BiT are the same, and BEiT and SigLIP; and crop_pct is of no use at 384.
    const auto type = expected.at("config").at("image_processor_type").get<std::string>();
    const bool is_same =
        (expected.at("config").size() == 1 && (type == "BitImageProcessor" || type == "SiglipImageProcessor")) ||
        expected.at("config").value("size", Json(0)) == 384 ||
        expected.at("config").value("crop_pct", Json(0)).is_null();
    EXPECT_TRUE(added || is_same) << expected.at("config") << " gives the values of " << found->second;
  }
  EXPECT_GE(configs.size(), 35U);
}

TEST(ImageProcessor, NamesAreThoseOfTransformersWithAndWithoutEndings) {
  const Image image = decode_image(image_data() / "photo.png");
  const std::vector<float> expected =
      processed(processor_of({{"image_processor_type", "ConvNextImageProcessor"}}), image);
  for (const char* name : {"ConvNextImageProcessorFast", "ConvNextImageProcessorPil"}) {
    EXPECT_EQ(processed(processor_of({{"image_processor_type", name}}), image), expected) << name;
  }
  EXPECT_EQ(processed(processor_of({{"feature_extractor_type", "ConvNextFeatureExtractor"}}), image), expected);
  const Json nested{{"image_processor", {{"image_processor_type", "ConvNextImageProcessor"}}},
                    {"processor_class", "X"}};
  EXPECT_EQ(processed(processor_of(nested), image), expected);
}

TEST(ImageProcessor, RefusesUnknownClassesAndMissingOnes) {
  EXPECT_THAT(refusal({{"image_processor_type", "ViltImageProcessor"}}),
              AllOf(HasSubstr("preprocessor_config.json: image processor 'ViltImageProcessor' is not known"),
                    HasSubstr("ViTImageProcessor, DeiTImageProcessor, BeitImageProcessor, CLIPImageProcessor, "
                              "SiglipImageProcessor, ConvNextImageProcessor, BitImageProcessor")));
  EXPECT_THAT(refusal({{"size", 224}}), HasSubstr("image_processor_type is missing"));
  EXPECT_THAT(refusal({{"image_processor_type", 7}}), HasSubstr("a class name such as"));
  EXPECT_THAT(refusal(Json::array()), HasSubstr("a JSON object"));
}

TEST(ImageProcessor, RefusesWrongValuesNamingTheKey) {
  const std::vector<std::pair<Json, std::string>> cases{
      {{{"size", 0}}, "size '0' is not valid"},
      {{{"size", "224"}}, "size"},
      {{{"size", 1e9}}, "with lengths from 1 to 16384"},
      {{{"size", {{"longest_edge", 5}}}}, R"({"shortest_edge"})"},
      {{{"size", {{"height", 5}}}}, "size"},
      {{{"size", {{"height", 5}, {"width", 5}, {"depth", 5}}}}, "size"},
      {{{"size", nullptr}}, "size 'null'"},
      {{{"resample", 6}}, "resample '6' is not valid; expected a filter's number: 0 nearest, 1 lanczos"},
      {{{"resample", "bicubic"}}, "resample"},
      {{{"do_resize", 1}}, "do_resize '1' is not valid; expected true or false"},
      {{{"do_convert_rgb", "yes"}}, "do_convert_rgb"},
      {{{"do_center_crop", true}}, "crop_size is missing, for which ViTImageProcessor has no default"},
      {{{"do_center_crop", true}, {"crop_size", {{"shortest_edge", 3}}}}, "crop_size"},
      {{{"image_mean", {0.5, 0.5}}}, "image_mean '[0.5,0.5]' is not valid; expected 3 numbers"},
      {{{"image_std", {0.5, 0, 0.5}}}, "image_std '0' is not valid"},
      {{{"image_std", {0.5, 1e-60, 0.5}}}, "image_std"},
      {{{"rescale_factor", "1/255"}}, "rescale_factor"},
      {{{"do_pad", true}}, "do_pad 'true' is not valid; expected false"},
  };
  for (const auto& [members, said] : cases) EXPECT_THAT(refusal(vit(members)), HasSubstr(said)) << members;
}

TEST(ImageProcessor, RefusesWhatConvNextCannotDo) {
  const auto convnext = [](Json members) {
    members["image_processor_type"] = "ConvNextImageProcessor";
    return refusal(members);
  };
  EXPECT_THAT(convnext({{"size", {{"height", 224}, {"width", 224}}}}), HasSubstr("needs {\"shortest_edge\"}"));
  EXPECT_THAT(convnext({{"size", 224}, {"crop_pct", 0}}), HasSubstr("crop_pct '0' is not valid"));
  EXPECT_THAT(convnext({{"size", 224}, {"crop_pct", nullptr}}), HasSubstr("crop_pct 'null'"));
  EXPECT_EQ(convnext({{"size", 384}, {"crop_pct", nullptr}}), "");
}

TEST(ImageProcessor, ReadsAFileAndNamesItInErrors) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "preprocessor_config.json";
  write_file_atomically(path, R"({"image_processor_type": "ViTImageProcessor", "size": 12})");
  EXPECT_EQ(ImageProcessor::read(path).height(), 12);
  for (const char* broken : {R"({"image_processor_type": "ViTImageProcessor", "image_std": 0})", "{", "[]"}) {
    write_file_atomically(path, broken);
    try {
      ImageProcessor::read(path);
      FAIL() << broken;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
    }
  }
}

TEST(ImageProcessor, KnowsTheFixedSizeBeforeAnyImage) {
  const auto fixed = [](Json config) { return processor_of(config).fixed_size(); };
  EXPECT_EQ(fixed(vit({{"size", {{"height", 30}, {"width", 40}}}})), (ImageSize{30, 40}));
  EXPECT_EQ(fixed({{"image_processor_type", "CLIPImageProcessor"}}), (ImageSize{224, 224}));
  EXPECT_EQ(fixed({{"image_processor_type", "ConvNextImageProcessor"}, {"size", 100}}), (ImageSize{100, 100}));
  EXPECT_EQ(fixed(vit({{"do_resize", false}})), std::nullopt);
  const ImageProcessor free(processor_of({{"image_processor_type", "CLIPImageProcessor"}, {"do_center_crop", false}}));
  EXPECT_EQ(free.fixed_size(), std::nullopt);
  EXPECT_EQ(free.output_size({448, 897}), (ImageSize{224, 448}));
  try {
    free.width();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("do_center_crop with a crop_size"));
  }
}

// 255 becomes (1 - 0.5) / 0.5, 0 becomes -1.
TEST(ImageProcessor, TheDefaultIsViTs) {
  Image image({2, 3});
  image.pixels = {255, 0, 51, 255, 0, 51, 255, 0, 51, 255, 0, 51, 255, 0, 51, 255, 0, 51};
  const ImageProcessor processor(default_image_processor_options(4));
  EXPECT_EQ(processor.height(), 4);
  EXPECT_EQ(processor.width(), 4);
  const std::vector<float> values = processed(processor, image);
  ASSERT_EQ(values.size(), 48U);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(values[i], 1.0F);
    EXPECT_EQ(values[16 + i], -1.0F);
    EXPECT_NEAR(values[32 + i], -0.6, 1e-6);
  }
}

TEST(ImageProcessor, RefusesImagesThatItWouldMakeHuge) {
  const ImageProcessor processor(processor_of({{"image_processor_type", "CLIPImageProcessor"}}));
  try {
    processor.output_size({1, 5'000'000});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("would resize it to 1120000000 x 224"));
  }
  // The shorter edge would have no pixel.
  const ImageProcessor narrow(processor_of({{"image_processor_type", "CLIPImageProcessor"},
                                            {"do_center_crop", false},
                                            {"size", {{"shortest_edge", 10}, {"longest_edge", 20}}}}));
  EXPECT_THROW(narrow.output_size({1, 1000}), Error);
  EXPECT_THROW(narrow.output_size({0, 5}), Error);
}

TEST(ImageProcessor, RefusesASpanOfAnotherLength) {
  const ImageProcessor processor(default_image_processor_options(4));
  std::vector<float> values(47);
  EXPECT_THROW(processor.process(Image({4, 4}), values), Error);
}

TEST(ImageProcessor, OptionsMadeInCodeAreCheckedToo) {
  EXPECT_THROW(ImageProcessor(default_image_processor_options(0)), Error);
  EXPECT_THROW(ImageProcessor(default_image_processor_options(1 << 20)), Error);
  ImageProcessorOptions options;
  options.rescale_factor = std::numeric_limits<double>::infinity();
  EXPECT_THROW(ImageProcessor{options}, Error);
}

TEST(ImageProcessorOptions, AreReadBackAsTheyAreSaved) {
  ImageProcessorOptions options = default_image_processor_options(32);
  options.size = ImageSize{20, 28};
  options.resample = ResampleFilter::kBicubic;
  options.do_center_crop = true;
  options.crop_size = ImageSize{12, 16};
  options.rescale_factor = 1.0 / 127.5;
  options.image_mean = {0.1, 0.2, 0.3};
  options.image_std = {0.4, 0.5, 0.6};
  EXPECT_EQ(parse_image_processor_options(vit_processor_json(options), "saved"), options);
  // Of a step that is left out its figures do not matter.
  options = default_image_processor_options(32);
  options.do_resize = options.do_rescale = options.do_normalize = false;
  const ImageProcessorOptions read = parse_image_processor_options(vit_processor_json(options), "saved");
  EXPECT_FALSE(read.do_resize || read.do_center_crop || read.do_rescale || read.do_normalize);
}

}  // namespace
}  // namespace transformeter
