// What reading a sound file and changing its rate share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audio/load_audio.h"
#include "base/error.h"

namespace transformeter {

enum class AudioFormat { kWav, kFlac, kOgg };

/// By the first bytes. Throws Error(kBadInput) that names the file for another format.
AudioFormat audio_format_of(std::string_view bytes, const std::string& name);

/// Throws Error(kBadInput) for what libsndfile does not say, or not clearly: a WAV file whose samples, or an Ogg file
/// whose pages, end before the file says; channels and sampling rate of a WAV file out of range.
void check_before_reading(std::string_view bytes, const std::string& name, AudioFormat format);

/// Throws Error(kBadInput) for a rate that no sound has.
void check_sampling_rate(std::int64_t sampling_rate, const std::string& name);

/// Throws Error(kBadInput) where one is infinite or not a number, naming the file and `hint`.
void check_are_finite(const std::vector<float>& samples, const std::string& name, std::string_view reason,
                      std::string_view hint);

/// The mean of a file's channels, at the file's own rate. Throws as load_audio.
Waveform decode_audio(std::string_view bytes, const std::string& name, const AudioLimits& limits);

/// By soxr's HQ setting, cut or filled with zeros to ceil(samples · ratio). Throws Error(kBadInput) beyond the limit.
Waveform resampled(Waveform waveform, std::int64_t sampling_rate, const std::string& name, const AudioLimits& limits);

/// "audio file 'NAME' is not valid: REASON. HINT"
Error refused_audio(const std::string& name, std::string_view reason, std::string_view hint);
/// Of a file whose end is missing.
Error truncated_audio(const std::string& name);
/// Of a file that gives more values than are allowed.
Error too_long_audio(const std::string& name, const AudioLimits& limits);

}  // namespace transformeter
