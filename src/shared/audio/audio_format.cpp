// Which format a sound file has, and whether its end is there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audio/audio_file.h"

namespace transformeter {
namespace {

struct KnownSound {
  std::string_view name;
  std::size_t at = 0;  // where the bytes below stand
  std::string_view bytes;
};

// Formats that are not read, so that an error can say what the file is.
constexpr std::array<KnownSound, 11> kOtherSounds{{
    {"MP3", 0, "ID3"},
    {"MP3", 0, "\xFF\xFB"},
    {"MP3", 0, "\xFF\xF3"},
    {"AAC", 0, "\xFF\xF1"},
    {"MP4 or M4A", 4, "ftyp"},
    {"AIFF", 8, "AIF"},
    {"AVI", 8, "AVI "},
    {"CAF", 0, "caff"},
    {"Sun/NeXT audio", 0, ".snd"},
    {"Matroska or WebM", 0, "\x1A\x45\xDF\xA3"},
    {"Wave64", 0, "riff"},
}};

bool has(std::string_view bytes, std::size_t at, std::string_view part) {
  return bytes.size() >= at + part.size() && bytes.substr(at, part.size()) == part;
}

std::string found_sound(std::string_view bytes) {
  for (const KnownSound& sound : kOtherSounds) {
    if (has(bytes, sound.at, sound.bytes)) return fmt::format("it is of the format {}", sound.name);
  }
  return "its format is not known";
}

// Little-endian; the bytes are there.
std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

std::uint64_t long_word_at(std::string_view bytes, std::size_t at) {
  return std::uint64_t{word_at(bytes, at + 4)} << 32U | word_at(bytes, at);
}

// What the chunks of a WAV file say; libsndfile reads what is there of the samples, and names no number it refuses.
struct WavChunks {
  std::optional<std::int64_t> channels;
  std::optional<std::int64_t> sampling_rate;
  bool has_whole_samples = false;  // the chunk of samples ends within the file
};

// Nothing where it is not known: programs that write to a pipe cannot go back to fill it in, and leave the largest
// number. RF64 (EBU Tech 3306) has it as a number of 64 bits in a chunk of its own, which comes first.
std::optional<std::uint64_t> size_of_samples(std::string_view bytes, std::uint32_t in_chunk) {
  constexpr std::size_t kSizes = 12, kSize = 28;
  constexpr std::uint32_t kUnknown = 0x7FFFF000;  // and all above
  constexpr std::uint64_t kUnknownLong = std::uint64_t{1} << 62U;
  if (in_chunk < kUnknown) return in_chunk;
  const bool is_long = has(bytes, 0, "RF64") && has(bytes, kSizes, "ds64") && bytes.size() >= kSize + 8;
  if (!is_long) return std::nullopt;
  const std::uint64_t size = long_word_at(bytes, kSize);
  return size < kUnknownLong ? std::optional(size) : std::nullopt;
}

WavChunks read_chunks(std::string_view bytes) {
  constexpr std::size_t kChunkHeader = 8, kFormat = 16;
  WavChunks found;
  std::size_t at = 12;
  while (at + kChunkHeader <= bytes.size()) {
    const std::uint32_t size = word_at(bytes, at + 4);
    const std::size_t left = bytes.size() - at - kChunkHeader;
    if (has(bytes, at, "fmt ") && left >= kFormat) {
      found.channels = word_at(bytes, at + kChunkHeader) >> 16U;  // behind the number of the codec
      found.sampling_rate = word_at(bytes, at + kChunkHeader + 4);
    }
    if (has(bytes, at, "data")) {
      const std::optional<std::uint64_t> samples = size_of_samples(bytes, size);
      found.has_whole_samples = !samples || *samples <= left;
      break;
    }
    at += kChunkHeader + size + size % 2;
  }
  return found;
}

// Whether the last page is there to its end, and is the last of its stream.
bool has_whole_pages(std::string_view bytes) {
  constexpr std::size_t kPageHeader = 27;
  constexpr unsigned kLastPage = 4;
  const std::size_t page = bytes.rfind("OggS");
  if (page == std::string_view::npos || bytes.size() - page < kPageHeader) return false;
  const std::size_t segments = static_cast<unsigned char>(bytes[page + kPageHeader - 1]);
  if (bytes.size() - page < kPageHeader + segments) return false;
  std::size_t end = page + kPageHeader + segments;
  for (std::size_t i = 0; i < segments; ++i) end += static_cast<unsigned char>(bytes[page + kPageHeader + i]);
  return end <= bytes.size() && (static_cast<unsigned char>(bytes[page + 5]) & kLastPage) != 0;
}

}  // namespace

Error refused_audio(const std::string& name, std::string_view reason, std::string_view hint) {
  return refused_value("audio file", name, reason, hint);
}

Error truncated_audio(const std::string& name) {
  return refused_audio(name, "its data end too early", "Copy or download the file again");
}

Error too_long_audio(const std::string& name, const AudioLimits& limits) {
  return refused_audio(name, fmt::format("it has more than the allowed {} samples of all channels", limits.values),
                       "Cut it into shorter files");
}

void check_are_finite(const std::vector<float>& samples, const std::string& name, std::string_view reason,
                      std::string_view hint) {
  const auto is_finite = [](float sample) { return std::isfinite(sample); };
  if (!std::all_of(samples.begin(), samples.end(), is_finite)) throw refused_audio(name, reason, hint);
}

AudioFormat audio_format_of(std::string_view bytes, const std::string& name) {
  if ((has(bytes, 0, "RIFF") || has(bytes, 0, "RF64")) && has(bytes, 8, "WAVE")) return AudioFormat::kWav;
  if (has(bytes, 0, "fLaC")) return AudioFormat::kFlac;
  if (has(bytes, 0, "OggS")) return AudioFormat::kOgg;
  if (bytes.empty()) throw refused_audio(name, "it is empty", "Copy or download the file again");
  throw refused_audio(name, found_sound(bytes),
                      "Allowed formats: WAV, FLAC, Ogg with Vorbis or Opus; ffmpeg -i FILE FILE.wav converts others");
}

void check_sampling_rate(std::int64_t sampling_rate, const std::string& name) {
  constexpr std::int64_t kLowest = 1000, kHighest = 768'000;  // beyond these a file is damaged, or no sound
  if (sampling_rate >= kLowest && sampling_rate <= kHighest) return;
  throw refused_audio(name, fmt::format("its sampling rate is {} Hz", sampling_rate),
                      fmt::format("Allowed: {} to {} Hz", kLowest, kHighest));
}

void check_before_reading(std::string_view bytes, const std::string& name, AudioFormat format) {
  if (format == AudioFormat::kOgg && !has_whole_pages(bytes)) throw truncated_audio(name);
  if (format != AudioFormat::kWav) return;
  const WavChunks chunks = read_chunks(bytes);
  if (!chunks.has_whole_samples) throw truncated_audio(name);
  if (chunks.sampling_rate) check_sampling_rate(*chunks.sampling_rate, name);
  constexpr std::int64_t kMostChannels = 1024;  // libsndfile's limit
  if (!chunks.channels || (*chunks.channels >= 1 && *chunks.channels <= kMostChannels)) return;
  throw refused_audio(name, fmt::format("it has {} channels", *chunks.channels),
                      fmt::format("Allowed: 1 to {}", kMostChannels));
}

}  // namespace transformeter
