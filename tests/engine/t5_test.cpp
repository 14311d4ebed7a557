// What T5 alone has: that the references tell each part of it from its neighbours.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/json.h"
#include "engine/family_testing.h"
#include "engine/operators.h"
#include "model/attention_masks.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

void nothing(Blueprint&) {}

/// LibTorch's operators, one of them changed.
class ChangedOperators final : public Operators {
 public:
  std::function<void(AttentionInputs&, int call)> change_attention = [](AttentionInputs&, int) {};
  bool subtracts_mean = false;  // in norms

  at::Tensor attention(const AttentionInputs& inputs) const override {
    AttentionInputs changed = inputs;
    change_attention(changed, calls_++);
    return own_->attention(changed);
  }
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return own_->convolution(input, layer);
  }
  at::Tensor dropout(const at::Tensor& input, double share) const override { return own_->dropout(input, share); }
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) const override {
    return own_->rms_norm(subtracts_mean ? input - input.mean(-1, true) : input, weight, epsilon, offset);
  }
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override {
    return own_->rotated(input, rotation);
  }

 private:
  std::unique_ptr<Operators> own_ = make_operators("math");
  mutable int calls_ = 0;
};

class T5 : public testing::TestWithParam<const char*> {
 protected:
  // A model of the folder, its blueprint changed.
  std::unique_ptr<Model> model_of(Task task, const Change& change) const {
    Checkpoint checkpoint = open_checkpoint(folder_);
    ModelConfig config = checkpoint.config;
    config.architecture = changed(*config.architecture, change);
    const Parameters parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
    return make_transformer(config, task, parameters);
  }

  ModelInputs inputs_of(const std::string& batch) const {
    ModelInputs inputs;
    inputs.input_ids = reference_.at(batch + ".input_ids").to(at::kLong);
    inputs.token_mask = reference_.at(batch + ".token_mask").to(at::kBool);
    inputs.decoder_input_ids = reference_.at(batch + ".decoder_input_ids").to(at::kLong);
    if (masks_padding_) inputs.attention_mask = additive_mask(inputs.token_mask, at::kFloat);
    return inputs;
  }

  // How far the outputs of a batch are from Transformers' where the model's blueprint or the operators are changed.
  double error_in(Task task, const std::string& batch, const Change& change,
                  const ChangedOperators& operators = {}) const {
    const c10::InferenceMode guard;
    const at::Tensor output = model_of(task, change)->forward(inputs_of(batch), operators);
    const char* expected = task == Task::kEmbedding ? "embedding" : "decoder_logits";
    return (output - reference_.at(fmt::format("{}.{}", batch, expected))).abs().max().item<double>();
  }
  double error_of(const std::string& batch, const Change& change, const ChangedOperators& operators = {}) const {
    return error_in(Task::kEmbedding, batch, change, operators);
  }
  double error_of_operators(const std::string& batch, const ChangedOperators& operators) const {
    return error_of(batch, nothing, operators);
  }

  std::filesystem::path folder_ = source_directory() / "tests/data/models" / (std::string("tiny-") + GetParam());
  Reference reference_{folder_ / "reference.safetensors"};
  bool masks_padding_ = true;
};

constexpr double kRight = 1e-4;
constexpr double kWrong = 0.01;

TEST_P(T5, AWrongEncoderShows) {
  for (const char* batch : {"unpadded", "right", "left", "pairs"}) {
    SCOPED_TRACE(batch);
    EXPECT_LE(error_of(batch, nothing), kRight);
    const auto error = [&](const Change& change) { return error_of(batch, change); };
    EXPECT_GT(error([](Blueprint& blueprint) { blueprint.relative_bias.reset(); }), kWrong) << "no bias";
    EXPECT_GT(error([](Blueprint& blueprint) { blueprint.relative_bias->buckets = 8; }), kWrong) << "fewer buckets";
    EXPECT_GT(error([](Blueprint& blueprint) {
                for (LayerSpec& layer : blueprint.layers) layer.attention.score_scale = 1;
              }),
              kWrong)
        << "scaled scores";
    EXPECT_GT(error([](Blueprint& blueprint) { blueprint.final_norm.reset(); }), kWrong) << "no last norm";
    EXPECT_GT(error([](Blueprint& blueprint) { blueprint.is_causal = true; }), kWrong) << "of the decoder";
    EXPECT_GT(error([](Blueprint& blueprint) {
                for (LayerSpec& layer : blueprint.layers) layer.feed_forward.activation = Activation::kSilu;
              }),
              kWrong)
        << "another activation";
  }
  EXPECT_GT(error_of("unpadded", [](Blueprint& blueprint) { blueprint.relative_bias->max_distance = 128; }), kWrong)
      << "other far buckets";
}

TEST_P(T5, WrongOperatorsOfTheEncoderShow) {
  ChangedOperators of_first_layer;
  of_first_layer.change_attention = [](AttentionInputs& inputs, int call) {
    if (call > 0) inputs.mask = at::Tensor();
  };
  EXPECT_GT(error_of_operators("unpadded", of_first_layer), kWrong) << "a bias that later layers do not share";
  ChangedOperators turned;
  turned.change_attention = [](AttentionInputs& inputs, int) { inputs.mask = inputs.mask.transpose(2, 3); };
  EXPECT_GT(error_of_operators("unpadded", turned), kWrong) << "distances of the other sign";
  ChangedOperators centred;
  centred.subtracts_mean = true;
  EXPECT_GT(error_of_operators("right", centred), kWrong) << "norms with a mean";
  masks_padding_ = false;
  EXPECT_LE(error_of("unpadded", nothing), kRight);
  EXPECT_GT(error_of("right", nothing), kWrong) << "padding that is attended to";
}

TEST_P(T5, AWrongGateShows) {
  if (GetParam() == std::string("t5-relu")) GTEST_SKIP() << "version 1.0 has no gate";
  EXPECT_GT(error_of("unpadded",
                     [](Blueprint& blueprint) {
                       for (LayerSpec& layer : blueprint.layers) layer.feed_forward.gate.reset();
                     }),
            kWrong)
      << "no gate";
  EXPECT_GT(error_of("unpadded",
                     [](Blueprint& blueprint) {
                       for (LayerSpec& layer : blueprint.layers) {
                         std::swap(*layer.feed_forward.gate, layer.feed_forward.in);
                       }
                     }),
            kWrong)
      << "gate and input swapped";
  // The two forms of GELU differ by 5e-4 at most.
  EXPECT_GT(error_of("unpadded",
                     [](Blueprint& blueprint) {
                       for (LayerSpec& layer : blueprint.layers) layer.feed_forward.activation = Activation::kGelu;
                     }),
            2 * kRight)
      << "the exact GELU";
}

// Logits after each token of another text, none of which is padding.
TEST_P(T5, AWrongDecoderShows) {
  for (const char* batch : {"unpadded", "right", "left", "pairs"}) {
    SCOPED_TRACE(batch);
    EXPECT_LE(error_in(Task::kSeq2SeqLm, batch, nothing), kRight);
  }
  const auto error = [&](const Change& change) { return error_in(Task::kSeq2SeqLm, "right", change); };
  const auto of_layers = [&](void (*change)(LayerSpec&)) {
    return error([&](Blueprint& blueprint) {
      for (LayerSpec& layer : blueprint.decoder->layers) change(layer);
    });
  };
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.decoder->relative_bias.reset(); }), kWrong) << "no bias";
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.decoder->relative_bias->looks_back = false; }), kWrong)
      << "the encoder's buckets";
  EXPECT_GT(
      error([](Blueprint& blueprint) { blueprint.decoder->relative_bias->table = blueprint.relative_bias->table; }),
      kWrong)
      << "the encoder's table";
  EXPECT_GT(of_layers([](LayerSpec& layer) { layer.cross_attention.reset(); }), kWrong) << "no attention to the text";
  EXPECT_GT(of_layers([](LayerSpec& layer) { layer.cross_attention->score_scale = 1; }), kWrong) << "scaled scores";
  EXPECT_GT(of_layers([](LayerSpec& layer) { layer.cross_attention_norm = layer.attention_norm; }), kWrong)
      << "another norm before it";
  EXPECT_GT(of_layers([](LayerSpec& layer) {
              std::swap(layer.cross_attention->inputs[1], layer.cross_attention->inputs[2]);
            }),
            kWrong)
      << "keys for values";
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.decoder->final_norm.reset(); }), kWrong) << "no last norm";
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.final_norm.reset(); }), kWrong) << "a text that is not normed";
  EXPECT_GT(error([](Blueprint& blueprint) {
              HeadSpec& head = blueprint.head;
              head.input_scale = head.input_scale == 1 ? 0.5 : 1;
            }),
            kWrong)
      << "logits of another scale";
  masks_padding_ = false;
  EXPECT_GT(error(nothing), kWrong) << "padding that is attended to";
}

TEST_P(T5, TextThatIsGeneratedIsTransformersTokenForToken) {
  for (const auto& [attention, fused] : {std::pair("sdpa", false), std::pair("sdpa", true), std::pair("eager", true),
                                         std::pair("math", false), std::pair("flash", true)}) {
    EngineOptions options;
    options.attention = attention;
    options.fused = fused;
    const Loaded loaded = load(folder_, Task::kSeq2SeqLm, options,
                               make_linears({.precision = "fp32", .prepacked = fused, .fused = fused}));
    for (const char* name : {"unpadded", "right", "left", "pairs"}) {
      SCOPED_TRACE(fmt::format("{}{} {}", attention, fused ? " fused" : "", name));
      expect_greedy_text(loaded, reference_, name);
    }
  }
}

// The encoder runs at the first step alone, and so do keys and values of its text.
TEST_P(T5, EachStepEqualsAPassOverAllTokens) {
  const c10::InferenceMode guard;
  const std::unique_ptr<Model> model = model_of(Task::kSeq2SeqLm, nothing);
  std::vector<const void*> keys;  // of each attention
  ChangedOperators operators;
  operators.change_attention = [&](AttentionInputs& attended, int) { keys.push_back(attended.key.data_ptr()); };
  const ModelInputs inputs = inputs_of("right");
  const at::Tensor expected = model->forward(inputs, operators);
  const std::int64_t tokens = inputs.decoder_input_ids.size(1);
  keys.clear();
  CachedDecoding decoding(*model, operators, inputs, tokens);
  at::Tensor logits = decoding.prefill();
  std::int64_t first_bytes = 0;
  for (std::int64_t step = 0; step + 1 < tokens; ++step) {
    EXPECT_LE((logits - expected.select(1, step)).abs().max().item<double>(), kRight) << "step " << step;
    if (step == 0) first_bytes = decoding.cache_bytes();
    logits = decoding.step(inputs.decoder_input_ids.select(1, step + 1));
  }
  EXPECT_EQ(decoding.cache().length(), tokens);
  EXPECT_EQ(decoding.cache_bytes(), first_bytes) << "nothing is added to what was taken";
  // Three layers encode at the first step; two decode at each, with two attentions, the second of which reads the text.
  ASSERT_EQ(keys.size(), 3 + static_cast<std::size_t>(tokens) * 4);
  for (const std::size_t layer : {0, 1}) EXPECT_EQ(keys[3 + 2 * layer + 1], keys[7 + 2 * layer + 1]) << "kept";
  const Blueprint blueprint = draw_blueprint(open_checkpoint(folder_).config, Task::kSeq2SeqLm);
  const std::int64_t values = 2 * 4 * 12, rows = inputs.input_ids.size(0);
  EXPECT_EQ(decoding.cache_bytes(), static_cast<std::int64_t>(blueprint.decoder->layers.size()) * rows *
                                        (tokens + inputs.input_ids.size(1)) * values * 4);
}

// Without other tokens a pass reads the text itself, after the first token.
TEST_P(T5, APassReadsTheTextShifted) {
  const c10::InferenceMode guard;
  const std::unique_ptr<Model> model = model_of(Task::kSeq2SeqLm, nothing);
  const std::unique_ptr<Operators> operators = make_operators("sdpa");
  ModelInputs inputs = inputs_of("unpadded");
  inputs.decoder_input_ids = at::Tensor();
  const at::Tensor implied = model->forward(inputs, *operators);
  const at::Tensor& ids = inputs.input_ids;
  inputs.decoder_input_ids = at::cat({at::zeros_like(ids.slice(1, 0, 1)), ids.slice(1, 0, -1)}, 1);
  EXPECT_TRUE(at::equal(implied, model->forward(inputs, *operators)));
}

// Beside its names, the scale before shared words is all that the two families differ in; logits are linear in it.
TEST_P(T5, Mt5DoesNotScaleWhatItsSharedWordsRead) {
  if (GetParam() == std::string("t5")) GTEST_SKIP() << "version 1.1 does not scale either";
  const TemporaryFolder copy;
  Json config = parse_json("config.json", read_file(folder_ / "config.json"));
  const double width = config.at("d_model").get<double>();
  std::filesystem::copy(folder_, copy.path(), std::filesystem::copy_options::recursive);
  config["model_type"] = "mt5";
  config["architectures"] = {"MT5ForConditionalGeneration"};
  copy.write("config.json", config.dump());
  folder_ = copy.path();
  const c10::InferenceMode guard;
  const std::unique_ptr<Operators> operators = make_operators("sdpa");
  for (const char* batch : {"unpadded", "right", "left", "pairs"}) {
    SCOPED_TRACE(batch);
    const at::Tensor logits = model_of(Task::kSeq2SeqLm, nothing)->forward(inputs_of(batch), *operators);
    const at::Tensor expected = reference_.at(std::string(batch) + ".decoder_logits") * std::sqrt(width);
    EXPECT_LE((logits - expected).abs().max().item<double>(), kRight * std::sqrt(width));
    EXPECT_LE(error_in(Task::kEmbedding, batch, nothing), kRight) << "the encoder is the same";
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, T5, testing::Values("t5", "t5-relu"),
                         [](const auto& parameter) { return std::string(parameter.param) == "t5" ? "Gated" : "Relu"; });

}  // namespace
}  // namespace transformeter
