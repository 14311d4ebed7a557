// Small sound files that a test makes.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace transformeter {

/// A WAV file of one channel of 16-bit samples: a tone, which differs for each `pitch`.
inline std::string wav_file(std::uint32_t samples, std::uint32_t sampling_rate = 16'000, int pitch = 1) {
  std::string bytes;
  const auto number = [&](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  bytes += "RIFF";
  number(36 + 2 * samples, 4);
  bytes += "WAVEfmt ";
  number(16, 4);
  number(1, 2);  // whole numbers
  number(1, 2);  // channels
  number(sampling_rate, 4);
  number(2 * sampling_rate, 4);
  number(2, 2);
  number(16, 2);
  bytes += "data";
  number(2 * samples, 4);
  for (std::uint32_t i = 0; i < samples; ++i) {
    number(static_cast<std::uint16_t>(std::lround(8000 * std::sin(0.02 * pitch * i))), 2);
  }
  return bytes;
}

}  // namespace transformeter
