// Reading sound files by libsndfile, which python-soundfile uses too.
#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "audio/audio_file.h"

namespace transformeter {
namespace {

/// A file's bytes as libsndfile reads them.
struct BytesInMemory {
  std::string_view bytes;
  sf_count_t at = 0;
};

BytesInMemory& memory_of(void* user) {
  return *static_cast<BytesInMemory*>(user);
}

sf_count_t length_of_bytes(void* user) {
  return static_cast<sf_count_t>(memory_of(user).bytes.size());
}

sf_count_t seek_in_bytes(sf_count_t offset, int whence, void* user) {
  BytesInMemory& memory = memory_of(user);
  const sf_count_t length = length_of_bytes(user);
  const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.at : length;
  memory.at = std::clamp<sf_count_t>(base + std::clamp(offset, -length, length), 0, length);
  return memory.at;
}

sf_count_t read_bytes(void* to, sf_count_t count, void* user) {
  BytesInMemory& memory = memory_of(user);
  const sf_count_t found = std::clamp<sf_count_t>(length_of_bytes(user) - memory.at, 0, std::max<sf_count_t>(count, 0));
  if (found > 0) std::memcpy(to, memory.bytes.data() + memory.at, static_cast<std::size_t>(found));
  memory.at += found;
  return found;
}

sf_count_t write_no_bytes(const void* /*from*/, sf_count_t /*count*/, void* /*user*/) {
  return 0;
}

sf_count_t place_in_bytes(void* user) {
  return memory_of(user).at;
}

struct CloseSound {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, CloseSound>;

Error broken_audio(const std::string& name, const char* reason) {
  std::string_view text(reason);
  while (text.ends_with('.') || text.ends_with('\n')) text.remove_suffix(1);
  return refused_audio(name, fmt::format("its data are broken ({})", text),
                       "Copy or download the file again, or convert it: ffmpeg -i FILE FILE.wav");
}

// Adds the mean of each frame's channels, in the type of numpy's mean and, up to 7 channels, in its order.
void add_means(const float* frames, std::int64_t count, std::int64_t channels, std::vector<float>& samples) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float* frame = frames + i * channels;
    float sum = frame[0];
    for (std::int64_t c = 1; c < channels; ++c) sum += frame[c];
    samples.push_back(channels == 1 ? sum : sum / static_cast<float>(channels));
  }
}

}  // namespace

Waveform decode_audio(std::string_view bytes, const std::string& name, const AudioLimits& limits) {
  check_before_reading(bytes, name, audio_format_of(bytes, name));
  BytesInMemory memory{bytes};
  SF_VIRTUAL_IO access{length_of_bytes, seek_in_bytes, read_bytes, write_no_bytes, place_in_bytes};
  SF_INFO info{};
  const SoundFile file(sf_open_virtual(&access, SFM_READ, &info, &memory));
  if (!file) throw broken_audio(name, sf_strerror(nullptr));
  check_sampling_rate(info.samplerate, name);

  constexpr std::int64_t kBlockFrames = 4096;
  const std::int64_t channels = info.channels;
  std::vector<float> block(static_cast<std::size_t>(kBlockFrames * channels));
  Waveform waveform{{}, info.samplerate};
  std::int64_t frames = 0;
  // A header may promise more than there is, so room grows with what is read.
  while (const std::int64_t found = sf_readf_float(file.get(), block.data(), kBlockFrames)) {
    frames += found;
    if (frames > limits.values / channels) throw too_long_audio(name, limits);
    add_means(block.data(), found, channels, waveform.samples);
  }
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) throw broken_audio(name, sf_strerror(file.get()));
  if (info.frames < SF_COUNT_MAX && frames < info.frames) throw truncated_audio(name);
  if (frames == 0) throw refused_audio(name, "it has no samples", "Sounds need at least one");
  check_are_finite(waveform.samples, name, "it has samples that are infinite or not a number",
                   "Write it again without them");
  return waveform;
}

}  // namespace transformeter
