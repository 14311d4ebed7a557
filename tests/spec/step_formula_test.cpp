// Operations of a step by hand, from a model of one matrix size.
#include "spec/step_formula.h"

#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"

namespace transformeter {
namespace {

constexpr Task kTask = Task::kSequenceClassification;

TEST(StepFormula, IsThreeForwardPassesAndFourWithCheckpointing) {
  const ModelConfig config = preset("distilbert-base");
  const StepFormula formula(config, kTask, std::nullopt);
  const double forward = forward_flops(config, kTask, 8, 128);
  const std::vector<std::int64_t> rows(8, 128);
  EXPECT_DOUBLE_EQ(formula.flops(rows), 3 * forward);
  EXPECT_DOUBLE_EQ(formula.flops(rows, {}, {.checkpoints_layers = true}), 4 * forward);
  const double needed = forward - unneeded_flops(config, kTask, rows);
  EXPECT_DOUBLE_EQ(formula.flops(rows, {}, {.leaves_out_tokens = true}), 3 * needed);
}

// BERT: 12 layers of 4 · C² and 2 · C · 4C for each token, a pooler and a classifier of 2 for one token of each row.
// The first layer's queries, keys and values read embeddings, which have no gradient.
TEST(StepFormula, OfAdaptersHasNoGradientsOfFrozenWeights) {
  const ModelConfig config = preset("bert-base");
  const double rows = 4, t = 32, c = 768, rank = 8;
  const double matrices = rows * (12 * t * 2 * 12 * c * c + 2 * c * c);
  const double head = rows * 2 * c * 2, scores = rows * 12 * 4 * t * t * c;
  const double adapters = rows * 12 * 2 * t * 2 * rank * (c + c);
  const double first_inputs = rows * t * 2 * (3 * c * c + 2 * c * rank);
  const LoraPlan lora = plan_lora(config, kTask, {8, 8, ""});
  const std::vector<std::int64_t> lengths(4, 32);
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, std::nullopt).flops(lengths), 3 * (matrices + head + scores));
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths),
                   2 * matrices + 3 * (head + scores + adapters) - first_inputs);
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths, {}, {.checkpoints_layers = true}),
                   3 * matrices + 4 * (head + scores + adapters))
      << "inputs of checkpointed layers have gradients";
}

// Of eleven layers there is no backward pass, nor is there of the last one's keys and values, and of its queries the
// adapter alone has one.
TEST(StepFormula, OfALateAdapterHasNoBackwardPassBeforeIt) {
  const ModelConfig config = preset("bert-base");
  const double rows = 4, t = 32, c = 768, rank = 8;
  const double scores = 4 * t * t * c;  // of a layer
  const double before = 11 * (t * 2 * 12 * c * c + scores);
  const double inputs = t * 2 * (3 * c * c + 2 * c * rank + 3 * rank * c);
  const double after = 2 * t * 2 * 9 * c * c + 3 * scores;
  const double head = 2 * 2 * c * c + 3 * 2 * c * 2;
  const LoraPlan lora = plan_lora(config, kTask, {8, 8, "layer.11.attention.self.query"});
  const std::vector<std::int64_t> lengths(4, 32);
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths), rows * (before + inputs + after + head));
  const double adapter = t * 2 * 2 * rank * c;
  const double matrices = 12 * t * 2 * 12 * c * c + 2 * c * c;
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths, {}, {.checkpoints_layers = true}),
                   rows * (3 * matrices + 4 * (12 * scores + adapter + 2 * c * 2)));
  // Of the last layer one token is computed, after queries, keys and values.
  const double left_out = (t - 1) * (2 * 2 * 9 * c * c + 3 * 4 * t * c);
  EXPECT_DOUBLE_EQ(StepFormula(config, kTask, lora).flops(lengths, {}, {.leaves_out_tokens = true}),
                   rows * (before + inputs + after + head - left_out));
}

// t5-small: two stacks of 6 layers of width C = 512, 4C within; a table of 32,128 words, which is the output layer too.
struct SmallT5 {
  double flops(const std::string& targets) const {
    return StepFormula(config, Task::kSeq2SeqLm, plan_lora(config, Task::kSeq2SeqLm, {8, 8, targets})).flops({16}, {4});
  }

  ModelConfig config = preset("t5-small");
  double s = 16, t = 4, c = 512, rank = 8;
  double network = 2 * c * 4 * c;    // elements
  double words = t * 2 * c * 32128;  // operations
};

TEST(StepFormula, OfADecoderCountsItsTargets) {
  const SmallT5 t5;
  const std::vector<std::int64_t> rows{16, 16}, targets{4, 8};
  EXPECT_DOUBLE_EQ(StepFormula(t5.config, Task::kSeq2SeqLm, std::nullopt).flops(rows, targets),
                   3 * forward_flops(t5.config, Task::kSeq2SeqLm, rows, targets));
  const double s = t5.s, t = t5.t, c = t5.c, rank = t5.rank;
  const double encoder = 6 * s * 2 * (4 * c * c + t5.network);
  const double decoder = 6 * (t * 2 * (4 * c * c + 2 * c * c + t5.network) + s * 2 * 2 * c * c) + t5.words;
  const double scores = 6 * 4 * c * (s * s + t * t + t * s);
  // Queries and values: of the encoder, of the decoder, and of its attention to the text.
  const double adapters = 6 * 2 * 2 * rank * c * (2 * s + 2 * t + t + s);
  const double first_inputs = (s + t) * 2 * (3 * c * c + 2 * c * rank);
  EXPECT_DOUBLE_EQ(t5.flops(""), 2 * (encoder + decoder) + 3 * (scores + adapters) - first_inputs);
}

// The encoder has no backward pass, and keys and values of the text have none.
TEST(StepFormula, OfADecodersAdaptersEndsBeforeTheEncoder) {
  const SmallT5 t5;
  const double s = t5.s, t = t5.t, c = t5.c, rank = t5.rank;
  const double encoder = 6 * (s * 2 * (4 * c * c + t5.network) + 4 * s * s * c);
  const double to_itself = t * 2 * 4 * c * c, own_scores = 4 * t * t * c;
  const double first_layer = to_itself + own_scores + t * 2 * (c * c + 2 * c * rank + 3 * rank * c);
  const double other_layer = 2 * to_itself + 3 * own_scores + t * 2 * (2 * c * c + 3 * 2 * rank * c);
  const double each_layer = s * 2 * 2 * c * c + 3 * 4 * t * s * c + 2 * t * 2 * (c * c + t5.network);
  EXPECT_DOUBLE_EQ(t5.flops("EncDecAttention.q"),
                   encoder + first_layer + 5 * other_layer + 6 * each_layer + 2 * t5.words);
}

// wav2vec2-test: seven convolutions of 32 channels, a projection to 64, a convolution of 16 taps in 4 groups; two
// layers of 64 and 256 within; 32 tokens. The convolution of an even kernel makes a frame more.
TEST(StepFormula, OfSoundsHasNoBackwardPassOfConvolutions) {
  const ModelConfig config = preset("wav2vec2-test");
  const double t = 99, c = 64, inner = 256, rank = 8;
  const double threes = 3175 + 1587 + 793 + 396, twos = 198 + 99;  // outputs by kernel, of the shortest such sound
  const double waves =
      2 * 10 * 32 * 6351 + 2 * 32 * 32 * (3 * threes + 2 * twos) + t * 2 * 32 * c + 2 * (c / 4 * 16) * c * (t + 1);
  const double layers = 2 * t * 2 * (4 * c * c + 2 * c * inner), scores = 2 * 4 * t * t * c, head = t * 2 * c * 32;
  const double adapters = 2 * 2 * t * 2 * 2 * rank * c;
  const double first_inputs = t * 2 * (3 * c * c + 2 * c * rank);
  const StepFormula formula(config, Task::kSpeechRecognition, plan_lora(config, Task::kSpeechRecognition, {8, 8, ""}));
  EXPECT_DOUBLE_EQ(formula.flops({99}), waves + 2 * layers + 3 * (scores + head + adapters) - first_inputs);
  EXPECT_DOUBLE_EQ(formula.flops({99}, {}, {.checkpoints_layers = true}),
                   2 * waves + 3 * layers + 4 * (scores + head + adapters));
}

// clip-test: two towers of two layers of 64 and 256 within. 16 patches of 3 · 8² pixels and one token more; a token of
// each row is projected to 48 numbers, and each of B texts is held against each of B images.
struct SmallClip {
  double flops(const std::string& targets, StepWay way = {}) const {
    return StepFormula(config, task, plan_lora(config, task, {8, 8, targets})).flops(images, captions, way);
  }
  double of_layers(double tokens) const { return 2 * tokens * 2 * (4 * c * c + 2 * c * inner); }
  double of_scores(double tokens) const { return 2 * 4 * tokens * tokens * c; }

  ModelConfig config = preset("clip-test");
  Task task = Task::kContrastiveImageText;
  std::vector<std::int64_t> images{17, 17}, captions{5, 9};
  double rows = 2, t = 17, c = 64, inner = 256, rank = 8;
  double patches = 16 * 2 * (3 * 8 * 8) * c, projection = 2 * c * 48, pairs = 2 * rows * rows * 48;
};

TEST(StepFormula, OfImagesAndCaptionsCountsBothTowers) {
  const SmallClip clip;
  const StepFormula formula(clip.config, clip.task, std::nullopt);
  const double forward = forward_flops(clip.config, clip.task, clip.images, clip.captions);
  EXPECT_DOUBLE_EQ(formula.flops(clip.images, clip.captions), 3 * forward);
  const double unneeded = unneeded_flops(clip.config, clip.task, clip.images, clip.captions);
  EXPECT_GT(unneeded, unneeded_flops(clip.config, clip.task, clip.images));
  EXPECT_DOUBLE_EQ(formula.flops(clip.images, clip.captions, {.leaves_out_tokens = true}), 3 * (forward - unneeded));
  const auto tower = [&](double tokens) {
    const double adapters = 2 * 2 * tokens * 2 * 2 * clip.rank * clip.c;
    const double first_inputs = tokens * 2 * (3 * clip.c * clip.c + 2 * clip.c * clip.rank);
    return 2 * (clip.of_layers(tokens) + clip.projection) + 3 * (clip.of_scores(tokens) + adapters) - first_inputs;
  };
  EXPECT_DOUBLE_EQ(clip.flops(""), 2 * (clip.patches + tower(17)) + tower(5) + tower(9) + 3 * clip.pairs);
}

// The other tower has no backward pass, and its vectors have no gradient.
TEST(StepFormula, OfOneTowersAdaptersLeavesTheOtherAlone) {
  const SmallClip clip;
  const std::string query = "text_model.encoder.layers.0.self_attn.q_proj";
  const double c = clip.c, inner = clip.inner, rank = clip.rank;
  const double of_images = clip.patches + clip.of_layers(17) + clip.of_scores(17) + clip.projection;
  const auto of_text = [&](double tokens) {
    const double first_layer = tokens * 2 * (3 * c * c + 2 * rank * c + 3 * rank * c + 2 * (c * c + 2 * c * inner));
    const double second_layer = 2 * tokens * 2 * (4 * c * c + 2 * c * inner);
    return first_layer + second_layer + 3 * clip.of_scores(tokens) + 2 * clip.projection;
  };
  EXPECT_DOUBLE_EQ(clip.flops(query), 2 * of_images + of_text(5) + of_text(9) + 2 * clip.pairs);
  // Inputs of all checkpointed layers have gradients.
  const auto again = [&](double tokens) {
    return 3 * (clip.of_layers(tokens) + clip.projection) + 4 * clip.of_scores(tokens);
  };
  const double adapter = (5 + 9) * 2 * 2 * rank * c;
  EXPECT_DOUBLE_EQ(clip.flops(query, {.checkpoints_layers = true}),
                   2 * (2 * clip.patches + again(17)) + again(5) + again(9) + 4 * (adapter + clip.pairs));
}

// vit-test: 16 patches of 3 · 8² pixels and one token more, two layers of 64 and 256 within; 10 classes of one token.
TEST(StepFormula, OfImagesHasNoBackwardPassOfPatches) {
  const ModelConfig config = preset("vit-test");
  const double t = 17, c = 64, inner = 256, rank = 8;
  const double patches = 16 * 2 * (3 * 8 * 8) * c, layers = 2 * t * 2 * (4 * c * c + 2 * c * inner);
  const double scores = 2 * 4 * t * t * c, head = 2 * c * 10, adapters = 2 * 2 * t * 2 * 2 * rank * c;
  const double first_inputs = t * 2 * (3 * c * c + 2 * c * rank);
  const StepFormula formula(config, Task::kImageClassification,
                            plan_lora(config, Task::kImageClassification, {8, 8, ""}));
  EXPECT_DOUBLE_EQ(formula.flops({17}), patches + 2 * layers + 3 * (scores + head + adapters) - first_inputs);
}

}  // namespace
}  // namespace transformeter
