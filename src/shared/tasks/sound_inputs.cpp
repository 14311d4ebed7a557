// What an extractor gives must be what the model was trained on.
#include "tasks/sound_inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "audio/load_audio.h"
#include "base/error.h"

namespace transformeter {
namespace {

constexpr const char* kFeatureExtractorFile = "preprocessor_config.json";
constexpr double kMostSamples = 1 << 28;

}  // namespace

FeatureExtractorOptions model_feature_extractor(const std::string& model, const ModelConfig& config, bool is_trained) {
  if (!config.waves) {
    throw Error(ErrorKind::kUnsupported, fmt::format("family '{}' does not read sounds", config.family()));
  }
  if (!is_trained) {
    FeatureExtractorOptions usual;
    usual.return_attention_mask = !config.waves->layers.front().norms_over_time;
    return usual;
  }
  const std::filesystem::path file = std::filesystem::path(model) / kFeatureExtractorFile;
  std::error_code code;
  if (!std::filesystem::exists(file, code)) {
    throw refused_value("model folder", model,
                        "it has no preprocessor_config.json, which says how sounds become a model's input",
                        "Copy it from where the model was published");
  }
  return read_feature_extractor_options(file);
}

std::vector<float> read_sound(const std::string& file, const FeatureExtractorOptions& options, const WaveSpec& waves) {
  Waveform waveform = load_audio(std::filesystem::path(file), options.sampling_rate);
  const auto samples = static_cast<std::int64_t>(waveform.samples.size());
  if (waves.frames(samples) < 1) {
    throw refused_value("audio file", file,
                        fmt::format("it has {} samples at {} Hz, fewer than the {} that one frame of the model takes",
                                    samples, options.sampling_rate, waves.samples(1)),
                        "Give a longer sound");
  }
  extract_features(options, waveform.samples);
  return std::move(waveform.samples);
}

std::int64_t synthetic_samples(const Case& the_case, const FeatureExtractorOptions& options, const WaveSpec& waves) {
  const double samples = std::round(the_case.audio_seconds * static_cast<double>(options.sampling_rate));
  const double least = static_cast<double>(waves.samples(1));
  if (samples >= least && samples <= kMostSamples) return static_cast<std::int64_t>(samples);
  throw Error(ErrorKind::kUnsupportedShape,
              fmt::format("audio_seconds {}: a sound has {:.0f} samples at {} Hz; allowed are {:.0f} to {:.0f}",
                          the_case.audio_seconds, samples, options.sampling_rate, least, kMostSamples));
}

std::int64_t most_sounds(std::int64_t samples) {
  return kMostSoundBytes / (samples * static_cast<std::int64_t>(sizeof(float)));
}

void check_sound_room(const Case& the_case, std::int64_t samples) {
  if (the_case.batch_size <= most_sounds(samples)) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{} sounds of {} seconds do not fit into the {} GiB that a cycle may hold; use a smaller "
                          "--batch-size or --audio-seconds",
                          the_case.batch_size, the_case.audio_seconds, kMostSoundBytes >> 30));
}

}  // namespace transformeter
