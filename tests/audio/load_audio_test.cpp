// Sounds against the samples that Transformers reads, and files that must be refused.
#include "audio/load_audio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "audio/audio_reference.h"
#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string sound(const std::string& name) {
  return read_file(audio_data() / name);
}

// What loading says, and that it is the input's fault.
std::string refusal(std::string_view bytes, const AudioLimits& limits = {}, std::int64_t rate = 16'000) {
  try {
    load_audio(bytes, "sound", rate, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

// Those of the lossy formats are computed by decoders of other versions.
double tolerance_of(const std::string& name) {
  return name.ends_with(".ogg") ? 1e-4 : 0;
}

TEST(LoadAudio, GivesTheSamplesOfEveryKindOfFile) {
  const Json reference = audio_reference("reference.json");
  ASSERT_EQ(reference.at("files").size(), 20U);
  for (const auto& [name, expected] : reference.at("files").items()) {
    const auto rate = expected.at("sampling_rate").get<std::int64_t>();
    const Waveform own = load_audio(audio_data() / name, rate);
    EXPECT_EQ(own.sampling_rate, rate) << name;
    EXPECT_LE(largest_difference(own.samples, stored_values(expected.at("own"))), tolerance_of(name)) << name;
  }
}

TEST(LoadAudio, ChangesTheRateAsTransformersDoes) {
  const Json reference = audio_reference("reference.json");
  int changed = 0;
  for (const auto& [name, expected] : reference.at("files").items()) {
    const Waveform waveform = load_audio(audio_data() / name, 16'000);
    EXPECT_EQ(waveform.sampling_rate, 16'000) << name;
    EXPECT_LE(largest_difference(waveform.samples, stored_values(expected.at("at_16000"))),
              std::max(tolerance_of(name), 1e-6))
        << name;
    changed += expected.at("sampling_rate") != 16'000 ? 1 : 0;
  }
  EXPECT_EQ(changed, 6);
}

// Else the tests above could pass with a reader that takes the first channel, or every third sample.
TEST(LoadAudio, TheFilesOfTheTestsTellWrongReadersApart) {
  const Json files = audio_reference("reference.json").at("files");
  const auto own = [&](const std::string& name) { return stored_values(files.at(name).at("own")); };
  const std::string bytes = sound("stereo.wav");
  std::vector<float> left;
  for (std::size_t at = 44; at + 3 < bytes.size(); at += 4) {
    const auto low = static_cast<unsigned char>(bytes[at]);
    const auto high = static_cast<signed char>(bytes[at + 1]);
    left.push_back(static_cast<float>(high * 256 + low) / 32768);
  }
  ASSERT_EQ(left.size(), own("stereo.wav").size());
  EXPECT_GT(largest_difference(left, own("stereo.wav")), 0.1);
  const std::vector<float> fast = own("48000.flac");
  std::vector<float> thinned;
  for (std::size_t i = 0; i < fast.size(); i += 3) thinned.push_back(fast[i]);
  EXPECT_GT(largest_difference(thinned, stored_values(files.at("48000.flac").at("at_16000"))), 0.01);
}

TEST(LoadAudio, AnotherRateHasAsManySamplesAsTransformersKeeps) {
  const std::string bytes = sound("11025.wav");  // 330 samples
  EXPECT_EQ(load_audio(bytes, "sound", 11'025).samples.size(), 330U);
  EXPECT_EQ(load_audio(bytes, "sound", 16'000).samples.size(), 479U);  // ⌈330 · 16000 / 11025⌉ of 478.9
  EXPECT_EQ(load_audio(bytes, "sound", 8'000).samples.size(), 240U);   // of 239.5
}

TEST(LoadAudio, RefusesOtherFormatsByTheirNames) {
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("'sound'"), HasSubstr("it is empty"), HasSubstr("download")));
  EXPECT_THAT(refusal("ID3\x03rest of the file"), AllOf(HasSubstr("MP3"), HasSubstr("ffmpeg -i FILE FILE.wav")));
  EXPECT_THAT(refusal(std::string("\0\0\0 ftypM4A ", 12)), HasSubstr("M4A"));
  EXPECT_THAT(refusal("FORM____AIFF____"), HasSubstr("AIFF"));
  EXPECT_THAT(refusal("some text"), HasSubstr("its format is not known"));
}

TEST(LoadAudio, RefusesFilesThatAreCutOff) {
  for (const char* name :
       {"pcm_16.wav", "pcm_24.wav", "float.wav", "stereo.wav", "rf64.wav", "pcm_16.flac", "vorbis.ogg", "opus.ogg"}) {
    const std::string bytes = sound(name);
    for (std::size_t size = bytes.size() - 40; size > 0; size = size * 3 / 4) {
      EXPECT_NE(refusal(std::string_view(bytes).substr(0, size)), "") << name << " of " << size << " bytes";
    }
  }
  for (const char* name : {"pcm_16.wav", "rf64.wav"}) {
    const std::string bytes = sound(name);
    EXPECT_THAT(refusal(std::string_view(bytes).substr(0, 600)),
                AllOf(HasSubstr("'sound'"), HasSubstr("end too early"), HasSubstr("Copy or download")))
        << name;
  }
}

TEST(LoadAudio, ReadsWhatAPipeWasWrittenTo) {
  std::string bytes = sound("pcm_16.wav");
  const Waveform whole = load_audio(bytes, "sound", 16'000);
  for (const std::size_t at : {std::size_t{4}, bytes.find("data") + 4}) bytes.replace(at, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_EQ(load_audio(bytes, "sound", 16'000), whole);
}

TEST(LoadAudio, RefusesBrokenAndStrangeFiles) {
  std::string bytes = sound("pcm_16.wav");
  std::string empty = bytes.substr(0, bytes.find("data") + 8);
  empty.replace(empty.size() - 4, 4, std::string(4, '\0'));
  EXPECT_THAT(refusal(empty), AllOf(HasSubstr("'sound'"), HasSubstr("no samples")));
  const std::size_t rate = bytes.find("fmt ") + 12;
  const auto with = [&](std::size_t at, const std::string& value) {
    std::string changed = bytes;
    return changed.replace(at, value.size(), value);
  };
  EXPECT_THAT(refusal(with(rate, std::string("\x07\0\0\0", 4))),
              AllOf(HasSubstr(" 7 Hz"), HasSubstr("1000 to 768000")));
  EXPECT_THAT(refusal(with(rate, std::string(4, '\0'))), AllOf(HasSubstr(" 0 Hz"), HasSubstr("1000 to 768000")));
  const std::size_t channels = rate - 2;
  EXPECT_THAT(refusal(with(channels, std::string(2, '\0'))), AllOf(HasSubstr(" 0 channels"), HasSubstr("1 to 1024")));
  EXPECT_THAT(refusal(with(channels, "\x01\x04")),
              AllOf(HasSubstr("'sound'"), HasSubstr(" 1025 channels"), HasSubstr("1 to 1024")));
  const std::size_t long_rate = sound("rf64.wav").find("fmt ") + 12;
  EXPECT_THAT(refusal(sound("rf64.wav").replace(long_rate, 4, std::string(4, '\0'))), HasSubstr(" 0 Hz"));
  std::string noise = bytes;
  noise.replace(bytes.find("fmt ") + 8, 2, "\xEE\xEE");  // a codec that there is none of
  EXPECT_THAT(refusal(noise), AllOf(HasSubstr("'sound'"), HasSubstr("broken")));
  std::string infinite = sound("float.wav");
  infinite.replace(infinite.size() - 100 * sizeof(float), 4, std::string("\0\0\x80\x7F", 4));
  EXPECT_THAT(refusal(infinite), HasSubstr("not a number"));
}

// Between samples a square wave of the largest numbers is larger than they.
TEST(LoadAudio, RefusesWhatIsTooLargeToBeResampled) {
  std::string bytes = sound("float.wav");
  const std::size_t samples = bytes.find("data") + 8;
  for (std::size_t i = 0; i < 480; ++i) {
    const float value = i / 40 % 2 == 0 ? std::numeric_limits<float>::max() : std::numeric_limits<float>::lowest();
    std::memcpy(bytes.data() + samples + i * sizeof(float), &value, sizeof(float));
  }
  EXPECT_EQ(refusal(bytes), "") << "at its own rate";
  EXPECT_THAT(refusal(bytes, {}, 8000), AllOf(HasSubstr("'sound'"), HasSubstr("too large"), HasSubstr("8000 Hz")));
}

TEST(LoadAudio, RefusesMoreSamplesThanAllowed) {
  const std::string bytes = sound("stereo.wav");  // 480 frames of 2
  EXPECT_EQ(refusal(bytes, {.values = 960}), "");
  EXPECT_THAT(refusal(bytes, {.values = 959}), AllOf(HasSubstr("'sound'"), HasSubstr("959"), HasSubstr("shorter")));
  EXPECT_EQ(refusal(sound("8000.wav"), {.values = 480}), "");  // 240 at its own rate
  EXPECT_NE(refusal(sound("8000.wav"), {.values = 479}), "");
}

TEST(LoadAudio, RefusesFoldersAndMissingFiles) {
  const TemporaryFolder folder;
  EXPECT_THROW(load_audio(folder.path(), 16'000), Error);
  EXPECT_THROW(load_audio(folder.path() / "none.wav", 16'000), Error);
}

}  // namespace
}  // namespace transformeter
