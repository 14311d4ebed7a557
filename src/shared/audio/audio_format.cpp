// Which format a sound file has, and whether its end is there.
#include <fmt/format.h>

#include <array>
#include <cstdint>

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

// Whether the chunk of samples ends within the file. Programs that write to a pipe cannot go back to fill in the size,
// and leave 0 or the largest number.
bool has_whole_samples(std::string_view bytes) {
  constexpr std::size_t kChunkHeader = 8;
  constexpr std::uint32_t kUnknownSize = 0x7FFFF000;  // and all above
  std::size_t at = 12;
  while (at + kChunkHeader <= bytes.size()) {
    const std::uint32_t size = word_at(bytes, at + 4);
    if (has(bytes, at, "data")) return size >= kUnknownSize || size <= bytes.size() - at - kChunkHeader;
    at += kChunkHeader + size + size % 2;
  }
  return false;
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

AudioFormat audio_format_of(std::string_view bytes, const std::string& name) {
  if ((has(bytes, 0, "RIFF") || has(bytes, 0, "RF64")) && has(bytes, 8, "WAVE")) return AudioFormat::kWav;
  if (has(bytes, 0, "fLaC")) return AudioFormat::kFlac;
  if (has(bytes, 0, "OggS")) return AudioFormat::kOgg;
  throw refused_audio(name, bytes.empty() ? "it is empty" : found_sound(bytes),
                      "Allowed formats: WAV, FLAC, Ogg with Vorbis or Opus; ffmpeg -i FILE FILE.wav converts others");
}

void check_is_whole(std::string_view bytes, const std::string& name, AudioFormat format) {
  const bool is_whole = format == AudioFormat::kOgg                             ? has_whole_pages(bytes)
                        : format == AudioFormat::kWav && !has(bytes, 0, "RF64") ? has_whole_samples(bytes)
                                                                                : true;
  if (!is_whole) throw truncated_audio(name);
}

}  // namespace transformeter
