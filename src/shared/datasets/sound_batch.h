// Batches of sounds, each of which becomes as many frames as its length gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/cycle.h"

namespace transformeter {

/// How a batch is padded at the end of its shorter rows.
struct SoundPadding {
  float value = 0;
  bool is_masked = false;  // the model is told which frames are padding
};

/// Rows as long as the longest of `sounds`, at least one, whose samples make a frame each; no places of examples.
Batch sound_batch(std::span<const std::vector<float>> sounds, const WaveSpec& waves, const SoundPadding& padding);

/// Independent standard normal numbers, which follow from the seed and the sound's number alone.
void draw_sound(std::uint64_t seed, std::size_t sound, std::span<float> samples);

}  // namespace transformeter
