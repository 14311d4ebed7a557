// Where a folder's feature extractor is found.
#include "tasks/sound_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "spec/presets.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FolderOfSounds : public testing::Test {
 protected:
  std::int64_t rate() const {
    return model_feature_extractor(folder_.path().string(), preset("wav2vec2-test"), true).sampling_rate;
  }

  std::string refusal() const {
    try {
      rate();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

// get_feature_extractor_dict of Transformers 5.23.
TEST_F(FolderOfSounds, MayHaveItsExtractorInEitherFile) {
  folder_.write("preprocessor_config.json", R"({"sampling_rate": 8000})");
  EXPECT_EQ(rate(), 8000);
  folder_.write("processor_config.json", R"({"processor_class": "Wav2Vec2Processor"})");
  EXPECT_EQ(rate(), 8000) << "what an older version saved";
  folder_.write("processor_config.json", R"({"feature_extractor": {"sampling_rate": 44100}})");
  EXPECT_EQ(rate(), 44'100) << "it comes first";
  std::filesystem::remove(folder_.path() / "preprocessor_config.json");
  EXPECT_EQ(rate(), 44'100) << "all that Transformers 5 saves";
}

TEST_F(FolderOfSounds, WithoutOneIsRefusedByBothNames) {
  EXPECT_THAT(refusal(), AllOf(HasSubstr(folder_.path().string()), HasSubstr("neither processor_config.json"),
                               HasSubstr("nor preprocessor_config.json"), HasSubstr("Copy the file")));
  folder_.write("processor_config.json", R"({"processor_class": "Wav2Vec2Processor"})");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("processor_config.json has no member feature_extractor"),
                               HasSubstr("preprocessor_config.json"), HasSubstr("Copy the file")));
  folder_.write("processor_config.json", R"({"feature_extractor": {"sampling_rate": 0}})");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("processor_config.json"), HasSubstr("sampling_rate")));
}

TEST(ReadsPadding, AModelWithoutMaskOrWithANormOverTime) {
  ModelConfig config = preset("wav2vec2-test");
  FeatureExtractorOptions options;
  options.return_attention_mask = true;
  config.waves->layers.front().norms_over_time = false;
  EXPECT_FALSE(reads_padding(config, options));
  config.waves->layers.front().norms_over_time = true;
  EXPECT_TRUE(reads_padding(config, options));
  config.waves->layers.front().norms_over_time = false;
  options.return_attention_mask = false;
  EXPECT_TRUE(reads_padding(config, options));
}

TEST(SoundRoom, NamesTheOptionThatHelps) {
  Case the_case;
  the_case.data = "speech.tsv";
  the_case.batch_size = 4;
  const auto refusal = [&](std::int64_t samples, std::size_t before) -> std::string {
    try {
      check_room_of_samples(the_case, samples, before, 4);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
      return error.what();
    }
    return "none";
  };
  constexpr std::int64_t kMost = std::int64_t{1} << 28;  // of 4 bytes in a GiB
  EXPECT_EQ(refusal(kMost, 8), "none");
  EXPECT_THAT(refusal(kMost + 1, 8), AllOf(HasSubstr("speech.tsv: the sounds do not fit into the 1 GiB"),
                                           HasSubstr("use --limit 8 or fewer")));
  EXPECT_THAT(refusal(kMost + 1, 0), HasSubstr("the first 4 sounds alone, in batches of 4, are more than the 1 GiB"));
}

}  // namespace
}  // namespace transformeter
