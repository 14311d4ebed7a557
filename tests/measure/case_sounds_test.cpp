// Which sounds are measured, compared and calibrate, how they are padded, and what is refused.
#include "measure/case_sounds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/staged_batch.h"
#include "measure/output_collector.h"
#include "measure/pass_forecast.h"
#include "spec/presets.h"
#include "support/wav_file.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class CaseSoundsTest : public testing::Test {
 protected:
  CaseSoundsTest() {
    options_.return_attention_mask = true;
    for (WaveLayerSpec& layer : config_.waves->layers) layer.norms_over_time = false;
    put({800, 1600, 1200, 2400, 800, 4000, 3200, 1000, 2000, 2800, 3600, 1400});
  }

  // Files of so many samples.
  void put(const std::vector<std::uint32_t>& lengths) {
    files_ = DataSet();
    for (const std::uint32_t length : lengths) {
      Example example;
      example.text = "sound of " + std::to_string(length);
      example.file =
          std::make_shared<const std::string>(wav_file(length, 16'000, static_cast<int>(files_.examples.size()) + 1));
      files_.examples.push_back(std::move(example));
    }
  }

  static Case request(std::int64_t batch_size, const std::string& data = "folder") {
    Case request;
    request.task = Task::kSpeechRecognition;
    request.data = data;
    request.batch_size = batch_size;
    request.audio_seconds = 0.1;
    return request;
  }

  CaseSounds sounds(const Case& request) {
    if (request.data != kSyntheticData) return {request, config_, files_, options_};
    synthetic_.examples.resize(static_cast<std::size_t>(request.batch_size));
    return {request, config_, synthetic_, options_};
  }

  std::string refusal(const Case& request, ErrorKind kind) {
    try {
      make_sound_cycle(sounds(request));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "accepted";
  }

  static std::vector<std::int64_t> lengths_of(const std::vector<Batch>& batches) {
    std::vector<std::int64_t> lengths;
    for (const Batch& batch : batches) {
      lengths.insert(lengths.end(), batch.sounds->lengths.begin(), batch.sounds->lengths.end());
    }
    return lengths;
  }

  static std::vector<std::size_t> places_of(const std::vector<Batch>& batches) {
    std::vector<std::size_t> places;
    for (const Batch& batch : batches) {
      places.insert(places.end(), batch.example_index.begin(), batch.example_index.end());
    }
    return places;
  }

  ModelConfig config_ = preset("wav2vec2-test");
  FeatureExtractorOptions options_;
  DataSet files_, synthetic_;
};

TEST_F(CaseSoundsTest, ACycleHoldsEachOnceInBatchesPaddedToTheirLongest) {
  const Case five = request(5);
  const Cycle cycle = make_sound_cycle(sounds(five)).cycle;
  ASSERT_EQ(cycle.batches.size(), 3U) << "5, 5 and 2";
  EXPECT_EQ(cycle.batches.back().batch_size, 2);
  const std::vector<std::size_t> places = places_of(cycle.batches);
  EXPECT_EQ(std::set(places.begin(), places.end()).size(), 12U);
  EXPECT_EQ(cycle.example_count, 12);
  std::int64_t useful = 0;
  for (const Batch& batch : cycle.batches) {
    const std::vector<std::int64_t>& lengths = batch.sounds->lengths;
    EXPECT_EQ(batch.sounds->samples, *std::max_element(lengths.begin(), lengths.end()));
    EXPECT_EQ(batch.sequence_length, config_.waves->frames(batch.sounds->samples));
    EXPECT_EQ(batch.processed_tokens, batch.batch_size * batch.sequence_length);
    std::int64_t frames = 0;
    for (const std::int64_t length : lengths) frames += config_.waves->frames(length);
    EXPECT_EQ(batch.useful_tokens, frames) << "frames are tokens";
    EXPECT_EQ(batch.has_padding, batch.useful_tokens != batch.processed_tokens);
    useful += frames;
  }
  const Case one = request(1);
  const Cycle alone = make_sound_cycle(sounds(one)).cycle;
  EXPECT_EQ(places_of(alone.batches), places) << "the same sounds in the same order, whatever the batch size";
  std::int64_t processed = 0;
  for (const Batch& batch : alone.batches) processed += batch.processed_tokens;
  EXPECT_EQ(processed, useful) << "no padding";
}

TEST_F(CaseSoundsTest, ALimitDrawsAndShapeIsThatOfTheCycle) {
  Case limited = request(2);
  limited.limit = 5;
  const Case all = request(3), synthetic = request(3, kSyntheticData);
  EXPECT_EQ(make_sound_cycle(sounds(limited)).cycle.used_examples, 5);
  for (const Case& one : {limited, all, synthetic}) {
    const CycleShape made = CycleShape::of(make_sound_cycle(sounds(one)).cycle);
    const CycleShape told = sound_cycle_shape(sounds(one));
    ASSERT_EQ(told.batches.size(), made.batches.size());
    for (std::size_t i = 0; i < made.batches.size(); ++i) EXPECT_EQ(told.batches[i].lengths, made.batches[i].lengths);
  }
}

// Of 12 sounds sorted by length, 4 strata of 3: one sound of each, whatever the draw.
TEST_F(CaseSoundsTest, ACutCycleIsSpreadOverLengths) {
  const Case two = request(2);
  const SoundCycle whole = make_sound_cycle(sounds(two));
  const Cycle cut = cut_sound_cycle(sounds(two), whole.source, 4);
  EXPECT_EQ(cut.example_count, 12) << "before the cut";
  ASSERT_EQ(cut.used_examples, 4);
  std::vector<std::int64_t> lengths = lengths_of(cut.batches);
  std::sort(lengths.begin(), lengths.end());
  EXPECT_LE(lengths[0], 1000);
  EXPECT_TRUE(lengths[1] >= 1200 && lengths[1] <= 1600) << lengths[1];
  EXPECT_TRUE(lengths[2] >= 2000 && lengths[2] <= 2800) << lengths[2];
  EXPECT_GE(lengths[3], 3200);
  EXPECT_EQ(places_of(cut_sound_cycle(sounds(two), whole.source, 12).batches), places_of(whole.cycle.batches));
  const Case one = request(1);
  EXPECT_EQ(places_of(cut_sound_cycle(sounds(one), make_sound_cycle(sounds(one)).source, 4).batches),
            places_of(cut.batches))
      << "the same for every batch size";
}

TEST_F(CaseSoundsTest, AModelThatWouldReadPaddingTakesOneLengthABatch) {
  const auto refused = [&] { return refusal(request(2), ErrorKind::kUnsupported); };
  EXPECT_EQ(refused(), "accepted") << "it takes a mask";
  options_.return_attention_mask = false;
  EXPECT_THAT(refused(), AllOf(HasSubstr("batch_size 2: the model would read the padding"),
                               HasSubstr("use batch_size 1, or sounds of one length")));
  options_.return_attention_mask = true;
  config_.waves->layers.front().norms_over_time = true;
  EXPECT_THAT(refused(), AllOf(HasSubstr("since no mask hides it"), HasSubstr("use batch_size 1")))
      << "a mask does not help against a norm over time";
  EXPECT_EQ(refusal(request(1), ErrorKind::kUnsupported), "accepted");
  put({1600, 1600, 1600});
  EXPECT_EQ(refused(), "accepted");
  const Case two = request(2);
  for (const Batch& batch : make_sound_cycle(sounds(two)).cycle.batches) EXPECT_FALSE(batch.has_padding);
}

// Keys find the sounds of a case among those of its reference, which has them one by one.
TEST_F(CaseSoundsTest, ASoundIsKnownByItsSamplesWhateverPaddingFollows) {
  const auto keys = [&](std::int64_t batch_size) {
    const Case one = request(batch_size);
    std::vector<std::int64_t> all;
    for (const Batch& batch : make_sound_cycle(sounds(one)).cycle.batches) {
      for (const std::int64_t key : input_keys(lay_out(batch, {}))) all.push_back(key);
    }
    return all;
  };
  const std::vector<std::int64_t> alone = keys(1);
  EXPECT_EQ(alone, keys(5));
  EXPECT_EQ(std::set(alone.begin(), alone.end()).size(), 12U);
}

TEST_F(CaseSoundsTest, CalibrationHasOtherSoundsThanAreMeasured) {
  Case files = request(2);
  files.limit = 6;
  const Case synthetic = request(8, kSyntheticData);
  const std::vector<std::size_t> measured = places_of(make_sound_cycle(sounds(files)).cycle.batches);
  const std::vector<std::size_t> others = places_of(sound_calibration(sounds(files), {}).batches);
  EXPECT_FALSE(others.empty());
  for (const std::size_t place : others) EXPECT_EQ(std::count(measured.begin(), measured.end(), place), 0) << place;
  std::vector<std::size_t> compared = places_of(make_sound_cycle(sounds(synthetic)).cycle.batches);
  for (const std::size_t place : places_of(further_sound_batches(sounds(synthetic), 32))) compared.push_back(place);
  EXPECT_EQ(compared.size(), 32U);
  EXPECT_THAT(places_of(sound_calibration(sounds(synthetic), {}).batches), Each(testing::Ge(32U)));
}

TEST_F(CaseSoundsTest, CalibrationEndsWhereItHasEnough) {
  const CalibrationSize most{.examples = 64, .tokens = 1'000'000};
  const CalibrationSize few{.examples = 64, .tokens = 1};
  Case asked = request(1);
  asked.limit = 6;
  EXPECT_GT(sound_calibration(sounds(asked), most).batches.size(), 3U);
  EXPECT_EQ(sound_calibration(sounds(asked), few).batches.size(), 1U) << "any sound has a frame";
}

TEST_F(CaseSoundsTest, AFileThatCannotBeReadIsNamed) {
  files_.examples[3].file = std::make_shared<const std::string>("RIFF and no more");
  EXPECT_THAT(refusal(request(4), ErrorKind::kBadInput), HasSubstr("sound of 2400"));
  put({800, 100});
  EXPECT_THAT(refusal(request(1), ErrorKind::kBadInput),
              AllOf(HasSubstr("sound of 100"), HasSubstr("it has 100 samples at 16000 Hz, fewer than the 400")));
}

}  // namespace
}  // namespace transformeter
