// preprocessor_config.json of sounds, and values against those of Transformers.
#include "audio/feature_extractor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_reference.h"
#include "audio/load_audio.h"
#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

FeatureExtractorOptions options_of(const Json& json) {
  return parse_feature_extractor_options(json, "preprocessor_config.json");
}

std::string extractor_fault(const Json& json, ErrorKind kind = ErrorKind::kBadInput) {
  try {
    options_of(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << json;
    return error.what();
  }
  return "";
}

TEST(FeatureExtractor, GivesTheValuesOfTransformers) {
  const Json reference = audio_reference("reference.json").at("extracted");
  ASSERT_EQ(reference.size(), 12U);
  for (const Json& expected : reference) {
    const FeatureExtractorOptions options = options_of(expected.at("config"));
    Waveform waveform = load_audio(audio_data() / expected.at("file").get<std::string>(), options.sampling_rate);
    const std::vector<float> before = waveform.samples;
    extract_features(options, waveform.samples);
    EXPECT_LE(largest_difference(waveform.samples, stored_values(expected.at("values"))), 1e-5) << expected;
    // Samples as they are must not pass for normalized ones.
    EXPECT_EQ(largest_difference(before, waveform.samples) > 0.1, options.do_normalize) << expected;
  }
}

TEST(FeatureExtractor, NormalizesToMean0AndVariance1) {
  std::vector<float> samples{1, 2, 3, 6};  // mean 3, variance 14 / 4
  extract_features({}, samples);
  const double scale = 1 / std::sqrt(3.5 + 1e-7);
  EXPECT_LE(largest_difference(samples, std::vector<float>{static_cast<float>(-2 * scale), static_cast<float>(-scale),
                                                           0, static_cast<float>(3 * scale)}),
            1e-7);
  std::vector<float> silence(5, 0.25F);
  extract_features({}, silence);
  EXPECT_EQ(silence, std::vector<float>(5, 0.0F));
}

TEST(FeatureExtractor, ReadsEveryKey) {
  EXPECT_EQ(options_of(Json::object()), FeatureExtractorOptions{});
  const Json json{{"feature_extractor_type", "Wav2Vec2FeatureExtractor"},
                  {"sampling_rate", 8000},
                  {"padding_value", -0.5},
                  {"do_normalize", false},
                  {"return_attention_mask", true},
                  {"feature_size", 1},
                  {"padding_side", "right"}};
  const FeatureExtractorOptions expected{8000, -0.5F, false, true};
  EXPECT_EQ(options_of(json), expected);
  EXPECT_EQ(options_of({{"processor_class", "Wav2Vec2Processor"}, {"feature_extractor", json}}), expected);
  EXPECT_EQ(options_of(feature_extractor_json(expected)), expected);
}

TEST(FeatureExtractor, RefusesOtherValuesByName) {
  EXPECT_THAT(extractor_fault({{"feature_extractor_type", "WhisperFeatureExtractor"}}),
              AllOf(HasSubstr("preprocessor_config.json"), HasSubstr("WhisperFeatureExtractor"),
                    HasSubstr("Wav2Vec2FeatureExtractor")));
  EXPECT_THAT(extractor_fault({{"sampling_rate", 0}}), AllOf(HasSubstr("sampling_rate"), HasSubstr("192000")));
  EXPECT_THAT(extractor_fault({{"sampling_rate", 16000.5}}), HasSubstr("sampling_rate"));
  EXPECT_THAT(extractor_fault({{"padding_value", "0"}}), HasSubstr("padding_value"));
  EXPECT_THAT(extractor_fault({{"padding_value", 1e300}}), HasSubstr("padding_value"));
  EXPECT_THAT(extractor_fault({{"do_normalize", 1}}), AllOf(HasSubstr("do_normalize"), HasSubstr("true or false")));
  EXPECT_THAT(extractor_fault({{"return_attention_mask", "yes"}}), HasSubstr("return_attention_mask"));
  EXPECT_THAT(extractor_fault(Json::array()), HasSubstr("a JSON object"));
  EXPECT_THAT(extractor_fault({{"feature_size", 80}}, ErrorKind::kUnsupported),
              AllOf(HasSubstr("feature_size"), HasSubstr("80"), HasSubstr("only 1")));
  EXPECT_THAT(extractor_fault({{"padding_side", "left"}}, ErrorKind::kUnsupported), HasSubstr("right"));
}

}  // namespace
}  // namespace transformeter
