// Padding of sounds, and the frames that count.
#include "datasets/sound_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

using testing::ElementsAre;

// Two layers: kernels 4 and 2, strides 2 and 1.
WaveSpec small_waves() {
  WaveSpec waves;
  waves.layers.resize(2);
  waves.layers[0].convolution.kernel = 4;
  waves.layers[0].convolution.stride = 2;
  waves.layers[1].convolution.kernel = 2;
  return waves;
}

TEST(SoundBatch, PadsToTheLongestAndCountsFrames) {
  const std::vector<std::vector<float>> sounds{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2, 3, 4, 5, 6}};
  const Batch batch = sound_batch(sounds, small_waves(), {-1, true});
  EXPECT_EQ(batch.batch_size, 2);
  EXPECT_EQ(batch.sequence_length, 3) << "10 samples, 4 places, 3 frames";
  EXPECT_EQ(batch.sounds->samples, 10);
  EXPECT_THAT(batch.sounds->values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1));
  EXPECT_THAT(batch.attention_mask, ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_EQ(batch.useful_tokens, 4);
  EXPECT_EQ(batch.processed_tokens, 6);
  EXPECT_TRUE(batch.has_padding);
  EXPECT_FALSE(sound_batch(sounds, small_waves(), {0, false}).has_padding) << "that reaches the model";
  EXPECT_THAT(row_lengths(batch), ElementsAre(3, 1));
  EXPECT_THAT(batch.sounds->lengths, ElementsAre(10, 6)) << "in samples";
}

TEST(DrawSound, FollowsFromSeedAndPlace) {
  const auto drawn = [](std::uint64_t seed, std::size_t sound) {
    std::vector<float> samples(100);
    draw_sound(seed, sound, samples);
    return samples;
  };
  EXPECT_EQ(drawn(1, 2), drawn(1, 2));
  EXPECT_NE(drawn(1, 2), drawn(1, 3));
  EXPECT_NE(drawn(1, 2), drawn(2, 2));
}

}  // namespace
}  // namespace transformeter
