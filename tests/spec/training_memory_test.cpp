// A layer's bytes by hand; the command's tests hold the sums to what LibTorch allocates.
#include "spec/training_memory.h"

#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "spec/training_tape.h"

namespace transformeter {
namespace {

StepShape rows_of(std::int64_t rows, std::int64_t length) {
  StepShape shape;
  shape.rows.lengths.assign(static_cast<std::size_t>(rows), length);
  return shape;
}

double activations(const std::string& model, const StepShape& shape, const SavedForBackward& kept = {}) {
  return forecast_step_memory(preset(model), Task::kSequenceClassification, shape, kept).value().activations;
}

double peak(const std::string& model, const StepShape& shape, const SavedForBackward& kept = {}) {
  return forecast_step_memory(preset(model), Task::kSequenceClassification, shape, kept).value().peak;
}

// Widths of bert-mini: 256 in 4 layers of 4 heads, 1024 within.
TEST(TrainingMemory, OfALayerIsTheSumByHand) {
  const double tokens = 8 * 128;
  const double attention = 3 * 256 + 3 * 4 * 128 + 256;  // Q, K, V; softmax, mask, dropped; the output's input
  const double feed_forward = 256 + 2 * 1024;            // its input, before and after GELU
  const double sums = 2 * (256 + 256 + 2);               // a dropout's mask, a norm's input, mean and deviation
  const double layer = attention + feed_forward + sums;  // of a token
  const double embedding = 256 + 2 + 256 + 256;          // its norm, its mask, the first layer's input
  const double between = 3 * 256;                        // inputs of the other layers
  const double expected = 4 * tokens * (4 * layer + embedding + between + 256);
  EXPECT_NEAR(activations("bert-mini", rows_of(8, 128)), expected, 1e-3 * expected) << "and a head of 8 tokens";
}

TEST(TrainingMemory, KernelsThatKeepLessNeedLess) {
  SavedForBackward fused;
  fused.dropout_masks = false;
  fused.attention_shares = SharesKept::kNever;
  const double tokens = 8 * 128;
  const double masks = 4 * tokens * (4 * 2 * 256 + 256), head_mask = 4 * 8 * 256;
  const double shares = 4 * tokens * 4 * (3 * 4 * 128 - 4);  // less the logarithms of 4 heads' sums
  EXPECT_DOUBLE_EQ(activations("bert-mini", rows_of(8, 128)) - activations("bert-mini", rows_of(8, 128), fused),
                   masks + head_mask + shares);
}

TEST(TrainingMemory, SharesOfAttentionGrowWithTheSquareOfTheLength) {
  const double once = activations("bert-mini", rows_of(8, 128));
  const double twice = activations("bert-mini", rows_of(8, 256));
  const double shares = 4.0 * 8 * 128 * 128 * 4 * 3 * 4;
  EXPECT_NEAR(twice - 2 * once, 2 * shares, 1e-3 * shares);
}

TEST(TrainingMemory, AccumulationLowersIt) {
  StepShape whole = rows_of(16, 128), parts = rows_of(4, 128);
  parts.micro_batches = 4;
  EXPECT_DOUBLE_EQ(4 * activations("bert-mini", parts), activations("bert-mini", whole));
  EXPECT_LT(peak("bert-mini", parts), peak("bert-mini", whole));
  StepShape single = parts;
  single.micro_batches = 1;
  EXPECT_GT(peak("bert-mini", parts), peak("bert-mini", single)) << "gradients wait for the later parts";
}

TEST(TrainingMemory, CheckpointsKeepTheInputsOfLayers) {
  StepShape shape = rows_of(16, 128);
  shape.checkpoints_layers = true;
  const double inputs = 4.0 * 16 * 128 * 256 * 4;
  EXPECT_GT(activations("bert-mini", shape), inputs);
  EXPECT_LT(activations("bert-mini", shape), 2 * inputs) << "and what embedding and head keep";
  EXPECT_LT(peak("bert-mini", shape), peak("bert-mini", rows_of(16, 128)));
}

TEST(TrainingMemory, OptimizersDifferByTheirState) {
  StepShape shape = rows_of(1, 8);
  const double adam = peak("bert-mini", shape);
  shape.optimizer = "sgd";
  const double weights = 4.0 * 11'171'074;
  EXPECT_NEAR(adam - peak("bert-mini", shape), weights, 1e-4 * weights);
}

TEST(TrainingMemory, HasNoFormulaForAnOptimizerOfAnotherNameNorForNoRow) {
  StepShape shape = rows_of(1, 8);
  shape.optimizer = "lion";
  EXPECT_FALSE(forecast_step_memory(preset("bert-mini"), Task::kSequenceClassification, shape, {}));
  EXPECT_FALSE(forecast_step_memory(preset("bert-mini"), Task::kSequenceClassification, rows_of(0, 8), {}));
}

TEST(TrainingMemory, AutocastKeepsNarrowCopies) {
  StepShape shape = rows_of(8, 128);
  shape.bytes_per_product = 2;
  SavedForBackward kept;
  const double with_casts = activations("bert-mini", shape, kept);
  kept.widened_products = true;
  const double matrices = 4 * (4 * 256 * 256 + 2 * 256 * 1024) + 256 * 256 + 256 * 2;  // layers, pooler, classifier
  EXPECT_DOUBLE_EQ(with_casts - activations("bert-mini", shape, kept), 2 * matrices);
  EXPECT_LT(with_casts, activations("bert-mini", rows_of(8, 128)));
}

// Gradients take an fp32 copy of the slopes, and of what they are multiplied by; outputs take none back then.
TEST(TrainingMemory, WidensWhatItsProductsRead) {
  StepShape shape = rows_of(8, 128);
  shape.bytes_per_product = 2;
  shape.micro_batches = 2;  // the gradients are there
  SavedForBackward kept;
  WidenedProducts widened;
  kept.widens = [&](const LinearSpec&) { return widened; };
  widened.outputs = true;
  const double of_outputs = peak("bert-mini", shape, kept);
  EXPECT_EQ(activations("bert-mini", shape, kept), activations("bert-mini", shape, {.widened_products = true}));
  widened.input_gradient = true;
  const double of_inputs = peak("bert-mini", shape, kept);
  widened.weight_gradient = true;
  const double of_all = peak("bert-mini", shape, kept);
  EXPECT_GT(of_inputs, of_outputs);
  EXPECT_GE(of_all, of_inputs);
  EXPECT_DOUBLE_EQ(of_all, peak("bert-mini", shape, {.widened_products = true}));
}

TEST(BackwardReplay, LooksAtScratchOfTheForwardPass) {
  BackwardReplay replay(100);
  replay.run({{.kept = 10, .computed = 50}, {.kept = 20, .computed = 5}});
  EXPECT_DOUBLE_EQ(replay.peak(), 160);
  replay.run({{.kept = 10, .again = {{.kept = 7, .computed = 300}}}});
  EXPECT_DOUBLE_EQ(replay.peak(), 417);
}

// A projection after the embeddings gives a product, and so do the sums of products after it.
TEST(TrainingMemory, UnderAutocastLayersMayBeNarrow) {
  StepShape shape = rows_of(8, 64);
  shape.checkpoints_layers = true;
  const double wide = activations("albert-base", shape);
  shape.bytes_per_product = 2;
  const double inputs = 12.0 * 8 * 64 * 768;
  EXPECT_GT(wide, 4 * inputs);
  EXPECT_LT(activations("albert-base", shape), 3 * inputs);
}

TEST(TrainingMemory, ACausalModelsMaskOfPaddingHoldsEveryPair) {
  SavedForBackward kept;
  kept.attention_shares = SharesKept::kNever;
  StepShape shape = rows_of(4, 32);
  const auto bytes = [&] {
    return forecast_step_memory(preset("gpt2-test"), Task::kCausalLm, shape, kept)->activations;
  };
  const double without = bytes();
  shape.rows.has_padding = true;
  EXPECT_DOUBLE_EQ(bytes() - without, 4.0 * 4 * 32 * 32);
}

StepShape with_adapters(StepShape shape, const std::string& targets = "") {
  shape.lora = plan_lora(preset("bert-mini"), Task::kSequenceClassification, {8, 8, targets});
  return shape;
}

// bert-mini: 4 layers of width 256, and a classifier of 2 classes.
TEST(TrainingMemory, OfAdaptersGradientsAndOptimizerAreOfWhatLearns) {
  const double adapters = 4 * 2 * 8 * (256 + 256), head = 256 * 2 + 2;
  const auto memory =
      forecast_step_memory(preset("bert-mini"), Task::kSequenceClassification, with_adapters(rows_of(1, 8)), {});
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->weights, 4 * (11'171'074 + adapters));
  EXPECT_EQ(memory->gradients, 4 * (adapters + head));
  EXPECT_EQ(memory->optimizer, 2 * 4 * (adapters + head) + 4 * (4 * 2 * 2 + 2)) << "and a step for each tensor";
  EXPECT_EQ(forecast_step_memory(preset("bert-mini"), Task::kSequenceClassification, rows_of(1, 8), {})->gradients,
            4 * 11'171'074);
}

// Of the first layer's queries and values: what A and B read, and what comes after. A frozen matrix keeps nothing in
// fp32, nor does what comes before all adapters.
TEST(TrainingMemory, FrozenMatricesKeepNoInputs) {
  const double tokens = 16 * 128, width = 256, inner = 1024;
  const StepShape shape = rows_of(16, 128);
  const double whole = activations("bert-mini", shape), adapted = activations("bert-mini", with_adapters(shape));
  const double embeddings = tokens * width + 2 * tokens + tokens * width;  // norm and dropout
  const double outputs = 4 * tokens * (width + width + inner);             // read by three matrices of each layer
  const double ranks = 4 * 2 * tokens * 8;
  const double pooler = tokens * width;   // the last hidden state, of which it reads a view
  const double queries = tokens * width;  // of the first layer, whose keys have no gradient
  EXPECT_DOUBLE_EQ(whole - adapted, 4 * (embeddings + outputs - ranks + pooler + queries));
  const StepShape last = with_adapters(shape, "layer.3.attention.self.query");
  EXPECT_LT(activations("bert-mini", last), 0.3 * adapted) << "three layers keep nothing";
}

// A's input is a view of the whole last hidden state; B's, the mask and the classifier's input are of one token a row.
TEST(TrainingMemory, OfAnAdaptedPoolerIsTheSumByHand) {
  const double tokens = 16 * 128, rows = 16;
  EXPECT_DOUBLE_EQ(activations("bert-mini", with_adapters(rows_of(16, 128), "pooler.dense")),
                   4 * (tokens * 256 + rows * (8 + 256 + 256 + 2)));
}

TEST(TrainingMemory, CheckpointedLayersOfAdaptersKeepTheirInputs) {
  StepShape shape = with_adapters(rows_of(16, 128));
  shape.checkpoints_layers = true;
  EXPECT_GT(activations("bert-mini", shape), 4.0 * 16 * 128 * 256 * 4);
  EXPECT_LT(peak("bert-mini", shape), peak("bert-mini", with_adapters(rows_of(16, 128))));
}

// Adding a mask to scores keeps none of it; its gradient is alive from the last layer to the first.
TEST(TrainingMemory, OfAMaskThatLearnsTheGradientCounts) {
  StepShape shape = rows_of(8, 1024);  // so long that most is alive in attention
  const double activations_without = activations("mpnet-test", shape), peak_without = peak("mpnet-test", shape);
  shape.rows.has_padding = true;  // a mask for each row, of two heads
  EXPECT_DOUBLE_EQ(activations("mpnet-test", shape), activations_without);
  EXPECT_DOUBLE_EQ(peak("mpnet-test", shape) - peak_without, 7 * 2 * 1024.0 * 1024 * 4);
  shape.checkpoints_layers = true;
  const double checkpointed = peak("mpnet-test", shape);
  shape.rows.has_padding = false;
  EXPECT_DOUBLE_EQ(peak("mpnet-test", shape), checkpointed) << "each layer has its own";
}

// Widths of t5-test: 64 in two layers each of 2 heads of 24, 128 within, behind a gate; 4,096 words.
TEST(TrainingMemory, OfAnEncoderAndADecoderIsTheSumByHand) {
  StepShape shape = rows_of(4, 64);
  const auto bytes = [&](const SavedForBackward& kept) {
    return forecast_step_memory(preset("t5-test"), Task::kSeq2SeqLm, shape, kept).value().activations;
  };
  EXPECT_FALSE(forecast_step_memory(preset("t5-test"), Task::kSeq2SeqLm, shape, {})) << "of targets as long as what?";
  shape.rows.target_lengths = shape.rows.lengths;
  const double norm = 2 * 64 + 1;                                      // its input, the normed, their scale
  const double attention = norm + 64 + 3 * 48 + 3 * 2 * 64 + 48 + 64;  // to itself or to the text
  const double network = norm + 64 + 128 + 2 * 128 + 2 * 128 + 64;     // GELU, both factors, dropped inside
  const double ends = 64 + norm + 64;                                  // of a stack: two masks
  const double encoder = 2 * (attention + network) + ends;
  const double decoder = 2 * (2 * attention + network) + ends + 64;  // and the text
  const double head = 64 + 4096;
  EXPECT_DOUBLE_EQ(bytes({}), 4.0 * 4 * 64 * (encoder + decoder + head));
  SavedForBackward fused;
  fused.dropout_masks = false;
  fused.attention_shares = SharesKept::kNever;
  // A bias learns through composed attention; that to the text keeps logarithms of sums alone.
  const double masks = (2 * 2 + 2 + 2 * 3 + 2) * 64 + 4 * 128, shares = 2 * (3 * 2 * 64 - 2);
  EXPECT_DOUBLE_EQ(bytes({}) - bytes(fused), 4.0 * 4 * 64 * (masks + shares));
}

// As above, of texts of 64 tokens and targets of 32.
TEST(TrainingMemory, OfTextsAndTargetsOfOtherLengthsIsTheSumByHand) {
  StepShape shape = rows_of(4, 64);
  shape.rows.target_lengths.assign(4, 32);
  const double text = 64, target = 32;
  const double norm = 2 * 64 + 1, network = norm + 64 + 128 + 2 * 128 + 2 * 128 + 64, ends = 64 + norm + 64;
  const auto attention = [&](double tokens) { return tokens * (norm + 64 + 3 * 48 + 3 * 2 * tokens + 48 + 64); };
  // Queries are of the target, keys and values of the text, and shares of each pair of both.
  const double to_text = target * (norm + 64 + 48 + 3 * 2 * text + 48 + 64) + text * 2 * 48;
  const double encoder = 2 * (attention(text) + text * network) + text * ends;
  const double decoder = 2 * (attention(target) + to_text + target * network) + target * ends + text * 64;
  const double head = target * (64 + 4096);
  const auto bytes = [&](const SavedForBackward& kept) {
    return forecast_step_memory(preset("t5-test"), Task::kSeq2SeqLm, shape, kept).value().activations;
  };
  EXPECT_DOUBLE_EQ(bytes({}), 4.0 * 4 * (encoder + decoder + head));
  SavedForBackward fused;
  fused.attention_shares = SharesKept::kNever;
  // Of the attention to the text, in each layer: of a target's token the logarithm of each head's sum instead.
  EXPECT_DOUBLE_EQ(bytes({}) - bytes(fused), 4.0 * 4 * target * 2 * (3 * 2 * text - 2));
}

// Widths as above; adapters of rank 8. What the frozen parts keep: the norm its input and scale, the network besides
// its gate's parts and the masks of what is dropped.
struct AdaptedT5 {
  AdaptedT5() { shape.rows.target_lengths.assign(4, 32); }

  double bytes(const std::string& targets, const SavedForBackward& kept = {}) {
    shape.lora = plan_lora(preset("t5-test"), Task::kSeq2SeqLm, {8, 8, targets});
    return forecast_step_memory(preset("t5-test"), Task::kSeq2SeqLm, shape, kept).value().activations;
  }

  StepShape shape = rows_of(4, 64);
  double text = 64, target = 32, norm = 64 + 1;
  double network = norm + 128 + 2 * 128 + 128 + 64;
  double to_itself = target * (norm + 3 * 48 + 3 * 2 * target + 64);
  double ends = target * (norm + 64 + 4096);
};

// The encoder keeps nothing, nor does the decoder before the first adapter. Keys and values of the text, which have no
// gradient, are kept for those of queries and shares.
TEST(TrainingMemory, OfADecodersAdaptersIsTheSumByHand) {
  AdaptedT5 t5;
  const double queries = t5.target * (64 + 8), factors = t5.text * 2 * 48, shares = 2 * 2 * t5.target * t5.text;
  const double first = queries + factors + shares + t5.target * (64 + t5.network);
  const double second = t5.to_itself + t5.target * t5.norm + first;
  EXPECT_DOUBLE_EQ(t5.bytes("EncDecAttention.q"), 4.0 * 4 * (first + second + t5.ends));
}

// Of the first layer's queries, which have no gradient, keys need none; those of both layers read the same text.
TEST(TrainingMemory, TheTextThatAdaptersReadIsKeptOnce) {
  AdaptedT5 t5;
  const double ranks = t5.text * 2 * 8, shares = 3 * 2 * t5.target * t5.text;
  const double common = ranks + t5.target * 48 + t5.text * 48 + shares + t5.target * (64 + t5.network);
  const double second = t5.to_itself + t5.target * t5.norm + common + t5.text * 48;
  const double text = t5.text * 64;
  EXPECT_DOUBLE_EQ(t5.bytes("EncDecAttention.k,EncDecAttention.v"), 4.0 * 4 * (common + second + t5.ends + text));
  t5.shape.checkpoints_layers = true;  // inputs of layers alone, the text among them, and the ends
  const double embedded = t5.text * (2 * 64 + t5.norm + 64) + t5.target * 2 * 64, states = 4 * 5056;
  EXPECT_DOUBLE_EQ(t5.bytes("EncDecAttention.k,EncDecAttention.v"), 4.0 * 4 * (embedded + t5.ends + text) + states);
}

// LibTorch's kernel keeps what it gives, which the frozen output layer does not; the engine's does not either.
TEST(TrainingMemory, TheEnginesAttentionKeepsNoResult) {
  AdaptedT5 t5;
  SavedForBackward fused;
  fused.dropout_masks = false;
  fused.attention_shares = SharesKept::kNever;
  const double library = t5.bytes("", fused);
  fused.own_attention = true;
  EXPECT_DOUBLE_EQ(library - t5.bytes("", fused), 4.0 * 4 * 48 * (2 * t5.text + 2 * 2 * t5.target));
}

// Widths of t5-small: 512 in both stacks of 6 layers of 8 heads of 64, 2048 within behind ReLU; 32,128 words, whose
// table is the output layer too.
TEST(TrainingMemory, OfATiedOutputLayerIsTheSumByHand) {
  StepShape shape = rows_of(2, 16);
  shape.rows.target_lengths.assign(2, 8);
  const double text = 16, target = 8;
  const double norm = 2 * 512 + 1, ends = 512 + norm + 512;
  const double network = norm + 512 + 3 * 2048 + 512;  // ReLU's result, its mask, the dropped; the sum's mask
  const auto attention = [&](double tokens) { return tokens * (norm + 512 + 3 * 512 + 3 * 8 * tokens + 512 + 512); };
  const double to_text = target * (norm + 512 + 512 + 3 * 8 * text + 512 + 512) + text * 2 * 512;
  const double encoder = 6 * (attention(text) + text * network) + text * ends;
  const double decoder = 6 * (attention(target) + to_text + target * network) + target * ends + text * 512;
  const StepMemory memory = forecast_step_memory(preset("t5-small"), Task::kSeq2SeqLm, shape, {}).value();
  EXPECT_DOUBLE_EQ(memory.activations, 4.0 * 2 * (encoder + decoder + target * (512 + 32128)));
  EXPECT_DOUBLE_EQ(memory.weights, 4.0 * 60'506'624) << "the table once, as of Transformers' t5-small";
  // The encoder reads the table last in the backward pass: then its gradients so far, the new one and their sum are
  // there, beside those of all other weights.
  EXPECT_GE(memory.peak, memory.optimizer + 2 * memory.weights + 2 * 4.0 * 32128 * 512);
}

TEST(TrainingMemory, CheckpointsOfADecoderKeepTheTextOnce) {
  StepShape shape = rows_of(4, 64);
  shape.rows.target_lengths.assign(4, 32);
  shape.checkpoints_layers = true;
  const auto bytes = [&] { return forecast_step_memory(preset("t5-test"), Task::kSeq2SeqLm, shape, {})->activations; };
  const double norm = 2 * 64 + 1, ends = 64 + norm + 64, states = 4 * 5056;
  const double text = 2 * 64 + ends + 64, target = 2 * 64 + ends + 64 + 4096;
  EXPECT_DOUBLE_EQ(bytes(), 4.0 * 4 * (64 * text + 32 * target) + states);
}

// wav2vec2-test: seven convolutions of 32 channels, then 64 in two layers of 2 heads, 256 within; a positional
// convolution of 16 taps in 4 groups; 32 tokens. PyTorch 2.15 keeps 46,914,816 bytes of the same operations, 32 less:
// it has fewer numbers of each tap.
TEST(TrainingMemory, OfSoundsIsTheSumByHand) {
  StepShape shape = rows_of(8, 99);
  shape.rows.samples = 32'000;
  const auto bytes = [&](const SavedForBackward& kept = {}) {
    return forecast_step_memory(preset("wav2vec2-test"), Task::kSpeechRecognition, shape, kept).value().activations;
  };
  EXPECT_FALSE(forecast_step_memory(preset("wav2vec2-test"), Task::kSpeechRecognition, shape, {}))
      << "of how many tokens?";
  shape.rows.target_lengths.assign(8, 24);
  const double steps = 6399 + 3199 + 1599 + 799 + 399 + 199 + 99, frames = 99;
  const double convolutions = 32 * (2 * steps - frames) + 32 * (6399 + 2);  // inputs of GELU and convolutions; the norm
  const double features = frames * (32 + 2 + 32);                           // normed, and projected
  const double places = 64 * (2 * frames + 1) + frames * (64 + 2 + 64);     // read, given; the norm after, and a mask
  const double attention = frames * (64 + 3 * 64 + 64 + 64 + 3 * 2 * frames + 64 + 2);
  const double network = frames * (64 + 3 * 256 + 64 + 64 + 2);
  const double head = frames * (64 + 64 + 32 + 2 * 24 + 1);  // with CTC's sums of paths
  const double weight = 64 * 16 * 16 + 3 * 16;               // of places, made of its parts
  const double row = convolutions + features + places + 2 * (attention + network) + head;
  EXPECT_DOUBLE_EQ(bytes(), 4 * (8 * row + weight));
  EXPECT_DOUBLE_EQ(bytes(), 46'914'848);
  shape.rows.samples = 0;
  EXPECT_LT(bytes(), 46'914'848) << "the fewest samples that make so many frames";
}

// The gradient of the second convolution's input is there three times beside what the first layer keeps, three more
// tensors of 6,399 steps; half of one goes into it.
TEST(TrainingMemory, OfSoundsPeaksAtTheSecondConvolution) {
  StepShape shape = rows_of(8, 99);
  shape.rows.samples = 32'000;
  shape.rows.target_lengths.assign(8, 24);
  shape.has_dropout = false;
  SavedForBackward fused;
  fused.attention_shares = SharesKept::kNever;
  const StepMemory memory =
      forecast_step_memory(preset("wav2vec2-test"), Task::kSpeechRecognition, shape, fused).value();
  const double first = 8.0 * 6399 * 32 * 4;
  const double around = memory.weights + memory.optimizer + 8 * 32'000 * 4;
  EXPECT_NEAR((memory.peak - around - memory.weights) / first, 6.5, 0.01) << "gradients of all later weights are there";
}

// Beside its two parts, of which it is made: 16 more taps in 4 groups of 16 channels.
TEST(TrainingMemory, OfAFrozenPositionalConvolutionTheWeightIsKept) {
  StepShape shape = rows_of(8, 99);
  shape.rows.target_lengths.assign(8, 24);
  const auto beside_weights = [&](std::int64_t taps) {
    Json keys = to_json(preset("wav2vec2-test"));
    keys["num_conv_pos_embeddings"] = taps;
    const ModelConfig config = parse_model_config(keys);
    shape.lora = plan_lora(config, Task::kSpeechRecognition, {8, 8, ""});
    const StepMemory memory = forecast_step_memory(config, Task::kSpeechRecognition, shape, {}).value();
    return memory.peak - memory.weights;
  };
  EXPECT_DOUBLE_EQ(beside_weights(32) - beside_weights(16), 4.0 * 64 * 16 * 16);
}

TEST(TrainingMemory, ASumOfLayersKeepsTheLastOneToo) {
  StepShape shape = rows_of(8, 99);
  shape.rows.samples = 32'000;
  Json keys = to_json(preset("wav2vec2-test"));
  const auto bytes = [&] {
    return forecast_step_memory(parse_model_config(keys), Task::kAudioClassification, shape, {}).value().activations;
  };
  const double plain = bytes();
  keys["use_weighted_layer_sum"] = true;
  EXPECT_DOUBLE_EQ(bytes() - plain, 4.0 * 8 * 99 * 64);
}

// clip-test: 64 in two layers of 2 heads in each tower, 256 within; 16 patches of 3 x 8 x 8, vectors of 48.
TEST(TrainingMemory, OfImagesAndCaptionsIsTheSumByHand) {
  StepShape shape = rows_of(8, 17);
  const auto forecast = [&](const SavedForBackward& kept = {}) {
    return forecast_step_memory(preset("clip-test"), Task::kContrastiveImageText, shape, kept);
  };
  EXPECT_FALSE(forecast()) << "captions of how many tokens?";
  shape.rows.target_lengths.assign(8, 24);
  SavedForBackward fused;
  fused.attention_shares = SharesKept::kNever;
  const double norm = 64 + 2;
  const auto layers = [&](double tokens) {
    const double attention =
        norm + 64 + 3 * 64 + 2 + 64;                   // its input, Q, K, V, two sums' logarithms, the output's input
    const double network = norm + 64 + 2 * 256 + 256;  // of QuickGELU the input and σ
    return 2 * tokens * (attention + network);
  };
  const double image = 16 * 3 * 8 * 8 + 17 * norm + layers(17) + 16 * 64 + norm + 64;  // the last token's view, normed
  const double text = layers(24) + 24 * norm + 24 * 64;                                // a view of what is normed
  const double vectors = 2 * (48 + 2) + 2 * 48, logits = 8 + 2 * 8;                    // with lengths, as unit vectors
  const StepMemory memory = forecast(fused).value();
  EXPECT_DOUBLE_EQ(memory.activations, 4.0 * 8 * (image + text + vectors + logits));
  EXPECT_DOUBLE_EQ(
      memory.weights,
      4.0 * static_cast<double>(parameter_count(tensor_inventory(preset("clip-test"), Task::kContrastiveImageText))));
  // Padding needs a mask of each pair of a caption's tokens, and last tokens that are copied instead of a view; images
  // have none.
  shape.rows.has_padding = true;
  EXPECT_DOUBLE_EQ(forecast(fused)->activations - memory.activations, 4.0 * 8 * (24 * 24 - 23 * 64));
}

// As above, with adapters of rank 8. A frozen matrix keeps nothing, but attention keeps its result itself.
TEST(TrainingMemory, OfAdaptersOfImagesAndCaptionsIsTheSumByHand) {
  const ModelConfig config = preset("clip-test");
  SavedForBackward fused;
  fused.attention_shares = SharesKept::kNever;
  const auto forecast = [&](const std::string& targets) {
    StepShape shape = rows_of(8, 17);
    shape.rows.target_lengths.assign(8, 24);
    shape.lora = plan_lora(config, Task::kContrastiveImageText, {8, 8, targets});
    return forecast_step_memory(config, Task::kContrastiveImageText, shape, fused).value();
  };
  const double norm = 64 + 2, attention = 3 * 64 + 2 + 64, network = norm + 2 * 256;
  const double layer = norm + 64 + 2 * 8 + attention + network;                    // what A reads, and what both B read
  const auto layers = [&](double tokens) { return tokens * (2 * layer - norm); };  // embeddings have no gradient
  const double image = layers(17) + 16 * 64 + norm, text = layers(24) + 24 * norm;
  const double vectors = 2 * (48 + 2) + 2 * 48, logits = 2 * 8;
  const StepMemory both = forecast("");
  EXPECT_DOUBLE_EQ(both.activations, 4.0 * 8 * (image + text + vectors + logits));
  EXPECT_EQ(both.gradients, 4.0 * 2 * 2 * 2 * 8 * (64 + 64)) << "logit_scale has none";
  // Of the last layer of texts: nothing of images is kept but their vectors.
  const double last_layer = 64 + 8 + attention + network + norm;
  EXPECT_DOUBLE_EQ(forecast("text_model.encoder.layers.1.self_attn.v_proj").activations,
                   4.0 * 8 * (24 * last_layer + 48 + 2 + 48 + logits));
}

TEST(TrainingMemory, OfImagesAndCaptionsGrowsWithCaptionsAndPairs) {
  const auto bytes = [](std::int64_t captions, bool checkpoints, std::int64_t pairs = 8) {
    StepShape shape = rows_of(pairs, 17);
    shape.rows.target_lengths.assign(static_cast<std::size_t>(pairs), captions);
    shape.checkpoints_layers = checkpoints;
    return forecast_step_memory(preset("clip-test"), Task::kContrastiveImageText, shape, {}).value();
  };
  EXPECT_GT(bytes(48, false).activations, bytes(24, false).activations);
  EXPECT_GT(bytes(24, false, 16).activations, 2 * bytes(24, false).activations) << "each with all";
  EXPECT_LT(bytes(48, true).activations, bytes(48, false).activations);
  EXPECT_LT(bytes(48, true).peak, bytes(48, false).peak);
}

TEST(TrainingMemory, PackedRowsOfSeveralLengthsAreJoined) {
  SavedForBackward kept;
  kept.attention_shares = SharesKept::kNever;
  StepShape shape = rows_of(2, 32);
  shape.rows.is_packed = true;
  const double alike = activations("bert-mini", shape, kept);
  shape.rows.lengths = {24, 40};
  EXPECT_DOUBLE_EQ(activations("bert-mini", shape, kept) - alike, 4.0 * 4 * 64 * 256);
  kept.own_attention = true;
  EXPECT_DOUBLE_EQ(activations("bert-mini", shape, kept), alike) << "the engine's kernel keeps no result";
}

TEST(BackwardReplay, FreesWhatIsKeptAsGradientsCome) {
  BackwardReplay replay(100);
  replay.run({{10, 1, {{"a", 5}}}, {20, 2, {{"b", 7}}}});
  EXPECT_EQ(replay.peak(), 100 + 30 + 2 + 7);
  replay.run({{10, 1, {{"a", 5}}}, {20, 2, {{"b", 7}}}});
  EXPECT_EQ(replay.peak(), 112 + 30 + 2 + 7) << "new gradients are added to those that are there, and go";
  replay.look_at(50);
  EXPECT_EQ(replay.peak(), 112 + 50);
}

TEST(BackwardReplay, AddsUpTheGradientsOfAWeightThatIsUsedTwice) {
  BackwardReplay replay(0);
  replay.run({{0, 0, {{"tied", 10}}}, {0, 0, {{"tied", 10}}}});
  EXPECT_EQ(replay.peak(), 30) << "both, and their sum";
  replay.run({{0, 0, {{"tied", 10}}}, {0, 0, {{"tied", 10}}}});
  EXPECT_EQ(replay.peak(), 40);
  replay.look_at(35);
  EXPECT_EQ(replay.peak(), 45) << "one stays";
}

TEST(BackwardReplay, RunsAPartAgain) {
  BackwardReplay replay(0);
  replay.run({{1, 0, {}, {{30, 2, {{"a", 4}}}}}, {3, 0, {}}});
  EXPECT_EQ(kept_bytes({{1, 0, {}, {{30, 2}}}, {3, 0}}), 4);
  EXPECT_EQ(replay.peak(), 1 + 30 + 2 + 4);
}

}  // namespace
}  // namespace transformeter
