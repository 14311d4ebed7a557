// Moments of a pass by hand; the command's tests hold them to what LibTorch allocates.
#include "spec/forward_memory.h"

#include <gtest/gtest.h>

#include "spec/model_config.h"
#include "spec/presets.h"

namespace transformeter {
namespace {

ForwardShape shape_of(std::int64_t rows, std::int64_t length) {
  ForwardShape shape;
  shape.rows.lengths.assign(static_cast<std::size_t>(rows), length);
  return shape;
}

ForwardMemory memory_of(const std::string& model, const ForwardShape& shape, Task task = Task::kEmbedding) {
  return forecast_forward_memory(preset(model), task, shape).value();
}

// bert-mini: width 256, 1024 within, 4 heads.
constexpr double kValue = 4, kTokens = 8 * 128, kStream = kTokens * 256 * kValue;

TEST(ForwardMemory, OfAnEncoderIsItsFeedForwardNetwork) {
  // The layer's input, its attention's result, and the inner values before and after GELU.
  EXPECT_DOUBLE_EQ(memory_of("bert-mini", shape_of(8, 128)).peak, (2 + 2 * 4) * kStream);
}

TEST(ForwardMemory, WorkInPlaceNeedsLess) {
  ForwardShape shape = shape_of(8, 128);
  shape.adds_in_place = true;
  shape.form_of = [](Activation) { return ActivationForm::kInPlace; };
  EXPECT_DOUBLE_EQ(memory_of("bert-mini", shape).peak, (2 + 4 + 1) * kStream) << "and the product's output";
}

TEST(ForwardMemory, ProductsInBytesHandThemOn) {
  ForwardShape shape = shape_of(8, 128);
  shape.adds_in_place = true;
  shape.scratch = ProductScratch::kBytesOfRows;
  const double alone = memory_of("bert-mini", shape).peak;
  EXPECT_DOUBLE_EQ(alone, (2 + 4 + 4 + 0.25) * kStream) << "sums, the output of them, and the input in bytes";
  shape.form_of = [](Activation) { return ActivationForm::kBytes; };
  EXPECT_DOUBLE_EQ(memory_of("bert-mini", shape).peak, (1 + 3 + 3 + 0.25) * kStream) << "then attention's are the most";
}

TEST(ForwardMemory, FewRowsReadWeightsInBytesAsTheyLie) {
  ForwardShape prompt = shape_of(1, 128);
  prompt.reads_last_token = true;
  const double plain = memory_of("gpt2-test", prompt, Task::kCausalLm).peak;
  prompt.scratch = ProductScratch::kWidenedWeights;
  EXPECT_LT(memory_of("gpt2-test", prompt, Task::kCausalLm).peak - plain, 2.0 * 64 * 256 * 4 + 1)
      << "no logits are widened, of 64 times 50257 weights";
  EXPECT_GT(memory_of("gpt2-test", shape_of(1, 128), Task::kCausalLm).output, 0);
}

TEST(ForwardMemory, ScoresGrowWithTheSquareOfTheLength) {
  ForwardShape shape = shape_of(2, 512);
  shape.scores = ScoresHeld::kInType;
  const double scores = 2.0 * 512 * 512 * 4 * kValue;
  EXPECT_DOUBLE_EQ(memory_of("bert-mini", shape).peak, (1 + 3 + 1 + 1) * kStream + 2 * scores);
  shape.scores = ScoresHeld::kTiles;
  shape.tile_scores = 1 << 18;
  EXPECT_DOUBLE_EQ(memory_of("bert-mini", shape).peak, (2 + 2 * 4) * kStream) << "less than the feed-forward network";
}

TEST(ForwardMemory, OfADecoderIsItsLogits) {
  const double logits = kTokens * 50257 * kValue;
  const ForwardMemory all = memory_of("gpt2-test", shape_of(8, 128), Task::kCausalLm);
  EXPECT_DOUBLE_EQ(all.output, logits);
  EXPECT_GT(all.peak, logits);
  ForwardShape prompt = shape_of(1, 128);
  prompt.reads_last_token = true;
  EXPECT_DOUBLE_EQ(memory_of("gpt2-test", prompt, Task::kCausalLm).output, 50257 * kValue);
}

// Of frames that are cheap to make: 64 channels, 256 within, of one convolution with 8.
TEST(ForwardMemory, AWeightedSumOfLayersLivesThroughAllOfThem) {
  const ForwardShape shape = shape_of(2, 100);
  const double stream = 2 * 100 * 64 * kValue;
  const auto peak = [&](bool weighs, bool is_stable, int projected) {
    const ModelConfig config = parse_model_config({{"model_type", "wav2vec2"},
                                                   {"hidden_size", 64},
                                                   {"num_attention_heads", 4},
                                                   {"intermediate_size", 256},
                                                   {"conv_dim", {8}},
                                                   {"conv_stride", {320}},
                                                   {"conv_kernel", {320}},
                                                   {"use_weighted_layer_sum", weighs},
                                                   {"do_stable_layer_norm", is_stable},
                                                   {"classifier_proj_size", projected}});
    return forecast_forward_memory(config, Task::kAudioClassification, shape).value().peak;
  };
  EXPECT_DOUBLE_EQ(peak(false, false, 64), (2 + 2 * 4) * stream) << "the feed-forward network";
  EXPECT_DOUBLE_EQ(peak(true, false, 64), (1 + 2 + 2 * 4) * stream);
  const int wide = 32 * 64;  // then the head has the most, beside the sum, or what was normed and its norm
  EXPECT_DOUBLE_EQ(peak(false, true, wide) - peak(true, true, wide), stream);
}

TEST(ForwardMemory, NarrowValuesHalveIt) {
  ForwardShape narrow = shape_of(8, 128);
  narrow.bytes_per_value = 2;
  EXPECT_DOUBLE_EQ(2 * memory_of("bert-mini", narrow).peak, memory_of("bert-mini", shape_of(8, 128)).peak);
}

// Of squeezebert-test's second matrix of the feed-forward network: 4 of width 64 in, 1 out, in 4 groups.
TEST(ForwardMemory, ConvolutionsLayWeightsOutAgainUnlessByGroup) {
  constexpr double kNarrowStream = kTokens * 64 * kValue, kWeight = 64.0 * 256 / 4 * kValue;
  ForwardShape shape = shape_of(8, 128);
  EXPECT_DOUBLE_EQ(memory_of("squeezebert-test", shape).peak, (2 + 2 * 4 + 4 + 1) * kNarrowStream + kWeight);
  shape.convolves_by_group = true;
  EXPECT_DOUBLE_EQ(memory_of("squeezebert-test", shape).peak, (2 + 2 * 4 + 2) * kNarrowStream);
}

TEST(ForwardMemory, IsUnknownWithoutAFormula) {
  EXPECT_FALSE(forecast_forward_memory(preset("bert-mini"), Task::kEmbedding, ForwardShape()));
}

}  // namespace
}  // namespace transformeter
