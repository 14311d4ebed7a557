// Sound files as one channel of samples at the rate that a model reads: the values that Transformers gives to a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// One channel.
struct Waveform {
  std::vector<float> samples;      // of whole numbers in a file: from −1 to 1; of floating-point numbers as they are
  std::int64_t sampling_rate = 0;  // samples a second

  bool operator==(const Waveform&) const = default;
};

struct AudioLimits {
  std::int64_t values = std::int64_t{1} << 28;  // samples of all channels, in the file and at the model's rate
};

/// What load_audio(path, sampling_rate, backend="soundfile") of Transformers 5.23 gives: samples as floating-point
/// numbers, the mean of the channels, at another rate resampled by soxr's HQ setting to ceil(samples · ratio) samples.
/// The content decides the format, not the file's name: WAV (RF64 too), FLAC, or Ogg with Vorbis or Opus.
/// Throws Error(kBadInput) that names the file: not readable, another format, empty, truncated, broken, a sampling rate
/// out of range, numbers that are not finite, or beyond a limit.
Waveform load_audio(const std::filesystem::path& path, std::int64_t sampling_rate, const AudioLimits& limits = {});

/// The same of a file's bytes; `name` stands for the file in errors.
Waveform load_audio(std::string_view bytes, const std::string& name, std::int64_t sampling_rate,
                    const AudioLimits& limits = {});

}  // namespace transformeter
