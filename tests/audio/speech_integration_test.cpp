// Sounds of the tests' public data against the samples and values of Transformers.
#include <gtest/gtest.h>

#include "audio/audio_reference.h"
#include "audio/feature_extractor.h"
#include "audio/load_audio.h"
#include "base/hash.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

void expect_sampled(const std::vector<float>& values, const Json& expected, double tolerance, const std::string& name) {
  for (std::size_t i = 0; i < expected.at("at").size(); ++i) {
    const auto at = expected.at("at")[i].get<std::size_t>();
    ASSERT_LT(at, values.size()) << name;
    EXPECT_NEAR(values[at], expected.at("values")[i].get<double>(), tolerance) << name << " at " << at;
  }
}

TEST(Speech, GivesTheSamplesAndValuesOfTransformers) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json files = audio_reference("shared_reference.json").at("files");
  ASSERT_EQ(files.size(), 16U);
  for (const auto& [name, expected] : files.items()) {
    Waveform waveform = load_audio(shared_data() / "audio" / name, 16'000);
    ASSERT_EQ(waveform.samples.size(), expected.at("count").get<std::size_t>()) << name;
    EXPECT_EQ(sha256_hex({reinterpret_cast<const char*>(waveform.samples.data()), waveform.samples.size() * 4}),
              expected.at("sha256"))
        << name;
    extract_features({}, waveform.samples);
    expect_sampled(waveform.samples, expected.at("input_values"), 1e-5, name);
  }
}

TEST(Speech, GivesTheSamplesOfTransformersAtAnotherRate) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json files = audio_reference("shared_reference.json").at("files");
  for (const auto& [name, expected] : files.items()) {
    const Waveform waveform = load_audio(shared_data() / "audio" / name, 8'000);
    EXPECT_EQ(waveform.samples.size(), expected.at("at_8000").at("count").get<std::size_t>()) << name;
    expect_sampled(waveform.samples, expected.at("at_8000"), 1e-6, name);
  }
}

}  // namespace
}  // namespace transformeter
