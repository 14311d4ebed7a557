// A frame counts as padding where the model's own rule has it so: beyond the frames of the row's own samples.
#include "datasets/sound_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"

namespace transformeter {

Batch sound_batch(std::span<const std::vector<float>> sounds, const WaveSpec& waves, const SoundPadding& padding) {
  std::size_t longest = 0;
  for (const std::vector<float>& sound : sounds) longest = std::max(longest, sound.size());
  Batch batch;
  batch.batch_size = static_cast<std::int64_t>(sounds.size());
  batch.sequence_length = waves.frames(static_cast<std::int64_t>(longest));
  batch.processed_tokens = batch.batch_size * batch.sequence_length;
  batch.sounds = BatchSounds{static_cast<std::int64_t>(longest), {}};
  batch.sounds->values.reserve(sounds.size() * longest);
  for (const std::vector<float>& sound : sounds) {
    std::vector<float>& values = batch.sounds->values;
    values.insert(values.end(), sound.begin(), sound.end());
    values.insert(values.end(), longest - sound.size(), padding.value);
    batch.sounds->lengths.push_back(static_cast<std::int64_t>(sound.size()));
    const std::int64_t frames = waves.frames(batch.sounds->lengths.back());
    batch.useful_tokens += frames;
    for (std::int64_t i = 0; i < batch.sequence_length; ++i) batch.attention_mask.push_back(i < frames ? 1 : 0);
  }
  batch.has_padding = padding.is_masked && batch.useful_tokens != batch.processed_tokens;
  return batch;
}

void draw_sound(std::uint64_t seed, std::size_t sound, std::span<float> samples) {
  RandomStream random(seed, fmt::format("sound/{}", sound));
  for (float& sample : samples) sample = static_cast<float>(random.normal());
}

}  // namespace transformeter
