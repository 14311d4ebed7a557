// Another rate by soxr, as librosa and Transformers change it.
#include "audio/load_audio.h"

#include <fmt/format.h>
#include <soxr.h>

#include <utility>

#include "audio/audio_file.h"
#include "base/files.h"

namespace transformeter {

Waveform resampled(Waveform waveform, std::int64_t sampling_rate, const std::string& name, const AudioLimits& limits) {
  const std::int64_t from = waveform.sampling_rate;
  if (from == sampling_rate) return waveform;
  const auto count = static_cast<std::int64_t>(waveform.samples.size());
  const std::int64_t wanted = (count * sampling_rate + from - 1) / from;
  if (wanted > limits.values) throw too_long_audio(name, limits);

  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  std::vector<float> samples(static_cast<std::size_t>(wanted));
  std::size_t done = 0;
  const soxr_error_t failure =
      soxr_oneshot(static_cast<double>(from), static_cast<double>(sampling_rate), 1, waveform.samples.data(),
                   waveform.samples.size(), nullptr, samples.data(), samples.size(), &done, &io, &quality, nullptr);
  const auto refuse = [&](std::string_view reason) {
    return refused_audio(name, fmt::format("it cannot be resampled from {} to {} Hz ({})", from, sampling_rate, reason),
                         fmt::format("Resample it before use: ffmpeg -i FILE -ar {} FILE.wav", sampling_rate));
  };
  if (failure != nullptr) throw refuse(failure);
  constexpr std::size_t kMostFilled = 8;  // soxr rounds where Transformers takes the next whole number
  if (samples.size() - done > kMostFilled) throw refuse(fmt::format("{} of {} samples came out", done, samples.size()));
  check_are_finite(samples, name, fmt::format("it has samples too large to be resampled to {} Hz", sampling_rate),
                   "Scale it down: ffmpeg -i FILE -filter:a loudnorm FILE.wav");
  return {std::move(samples), sampling_rate};
}

Waveform load_audio(std::string_view bytes, const std::string& name, std::int64_t sampling_rate,
                    const AudioLimits& limits) {
  return resampled(decode_audio(bytes, name, limits), sampling_rate, name, limits);
}

Waveform load_audio(const std::filesystem::path& path, std::int64_t sampling_rate, const AudioLimits& limits) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw refused_audio(path.string(), "it is a folder", "Give one WAV, FLAC or Ogg file");
  }
  return load_audio(read_file(path), path.string(), sampling_rate, limits);
}

}  // namespace transformeter
