// Weights on paper against those that a model keeps.
#include "engine/weight_memory.h"

#include <gtest/gtest.h>

#include <ATen/Context.h>

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "model/parameters.h"
#include "model/registry.h"
#include "spec/presets.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

struct FormCase {
  const char* name;
  const char* model;
  LinearOptions linears;
  c10::ScalarType type = c10::ScalarType::Float;
};

void PrintTo(const FormCase& one, std::ostream* out) {
  *out << one.name;
}

class WeightForms : public testing::TestWithParam<FormCase> {};

TEST_P(WeightForms, AreAsTheModelKeepsThem) {
  const FormCase& one = GetParam();
  const ModelConfig config = preset(one.model);
  Parameters parameters = seeded_parameters(tensor_inventory(config, Task::kEmbedding), std::nullopt, 0, one.type);
  parameters.use_linears(make_linears(one.linears));
  ModelRegistry registry;
  register_builtin_models(registry);
  const auto model = registry.make(config, Task::kEmbedding, parameters);
  WeightPlan plan;
  plan.linears = one.linears;
  plan.bytes_per_weight = static_cast<std::int64_t>(c10::elementSize(one.type));
  const WeightMemory memory = weight_memory(config, Task::kEmbedding, plan);
  EXPECT_NEAR(memory.allocated / static_cast<double>(parameters.bytes()), 1, 0.01);
  EXPECT_EQ(memory.mapped, 0);
  EXPECT_TRUE(memory.is_known);
}

constexpr c10::ScalarType kNarrow = c10::ScalarType::BFloat16;

INSTANTIATE_TEST_SUITE_P(
    Kinds, WeightForms,
    testing::Values(FormCase{"plain", "bert-test", {}}, FormCase{"fused", "bert-test", {.fused = true}},
                    FormCase{"prepacked", "bert-mini", {.prepacked = true, .fused = true}},
                    FormCase{"narrow", "llama-test", {.precision = "bf16", .prepacked = true, .fused = true}, kNarrow},
                    FormCase{"shared", "albert-base", {.prepacked = true, .fused = true}},
                    FormCase{"int8", "bert-mini", {.precision = "int8", .fused = true}},
                    FormCase{"weight_only", "bert-mini", {.precision = "int8_weight_only", .fused = true}, kNarrow}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(WeightMemory, WhatAFileHoldsIsNotAllocated) {
  const ModelConfig config = preset("bert-test");
  WeightPlan plan;
  const double all = weight_memory(config, Task::kEmbedding, plan).allocated;
  for (const TensorSpec& tensor : tensor_inventory(config, Task::kEmbedding)) plan.mapped.insert(tensor.name);
  EXPECT_EQ(weight_memory(config, Task::kEmbedding, plan).allocated, 0);
  EXPECT_EQ(weight_memory(config, Task::kEmbedding, plan).mapped, all);
  plan.linears.prepacked = plan.linears.fused = true;
  const WeightMemory packed = weight_memory(config, Task::kEmbedding, plan);
  EXPECT_GT(packed.allocated, 0) << "a form of its own";
  EXPECT_EQ(packed.allocated + packed.mapped, all);
}

TEST(WeightMemory, AWeightThatIsNormalizedIsAllocatedBesideTheFile) {
  const ModelConfig config = preset("wav2vec2-test");
  WeightPlan plan;
  const double all = weight_memory(config, Task::kAudioEmbedding, plan).allocated;
  for (const TensorSpec& tensor : tensor_inventory(config, Task::kAudioEmbedding)) plan.mapped.insert(tensor.name);
  const WeightMemory memory = weight_memory(config, Task::kAudioEmbedding, plan);
  EXPECT_EQ(memory.mapped, all);
  EXPECT_EQ(memory.allocated, 64 * (64 / 4) * 16 * 4) << "[64, 64 / 4 groups, kernel 16] of 4 bytes";
}

TEST(WeightMemory, KernelsThatAreNotTriedCountWithTheMost) {
  if (!at::hasMKL()) GTEST_SKIP() << "no MKL";
  const ModelConfig config = preset("bert-mini");
  WeightPlan plan;
  plan.linears = {.prepacked = true, .fused = true, .is_tried = true, .one_shape = true};
  plan.rows = {128};
  plan.last_rows = {1};
  const WeightMemory unknown = weight_memory(config, Task::kEmbedding, plan);
  EXPECT_FALSE(unknown.is_known);
  ProductChoice choice;
  choice.kernel = "onednn_prepacked";
  plan.chosen = [&](const ProductSize&) { return &choice; };
  const WeightMemory known = weight_memory(config, Task::kEmbedding, plan);
  EXPECT_TRUE(known.is_known);
  EXPECT_LT(known.allocated, unknown.allocated);
  choice.kernel = "mkl_prepacked";
  EXPECT_EQ(weight_memory(config, Task::kEmbedding, plan).allocated, unknown.allocated);
}

WeightPlan tried_bf16_plan() {
  WeightPlan plan;
  plan.linears = {.precision = "bf16", .prepacked = true, .fused = true, .is_tried = true};
  plan.bytes_per_weight = 2;
  plan.rows = {128};
  plan.last_rows = {1};
  return plan;
}

TEST(WeightMemory, ProductsOfBf16TakeTheSameInAnyForm) {
  const ModelConfig config = preset("bert-mini");
  WeightPlan plan = tried_bf16_plan();
  const WeightMemory unknown = weight_memory(config, Task::kEmbedding, plan);
  EXPECT_FALSE(unknown.is_known);
  EXPECT_FALSE(unknown.widened.empty()) << "the most";
  ProductChoice choice;
  plan.chosen = [&](const ProductSize& size) {
    EXPECT_EQ(size.precision, "bf16");
    return &choice;
  };
  for (const char* kernel : {"linear", "onednn_prepacked", "widened", "widened_onednn"}) {
    SCOPED_TRACE(kernel);
    choice.kernel = kernel;
    const WeightMemory known = weight_memory(config, Task::kEmbedding, plan);
    EXPECT_TRUE(known.is_known);
    EXPECT_EQ(known.allocated, unknown.allocated);
    EXPECT_EQ(known.widened,
              std::string_view(kernel).starts_with("widened") ? unknown.widened : decltype(known.widened)());
  }
}

TEST(WeightMemory, OfBf16IsWidenedForTheRowsOfItsLayerAlone) {
  const ModelConfig config = preset("bert-mini");
  WeightPlan plan = tried_bf16_plan();
  plan.leaves_out_tokens = true;
  ProductChoice choice;
  plan.chosen = [&](const ProductSize& size) {
    choice.kernel = size.uses.front().rows == 1 ? "widened" : "onednn_prepacked";
    return &choice;
  };
  const Blueprint drawn = draw_blueprint(config, Task::kSequenceClassification);
  const std::int64_t in = drawn.layers.front().feed_forward.out.in, out = drawn.layers.front().feed_forward.out.out;
  WeightMemory known = weight_memory(config, Task::kSequenceClassification, plan);
  EXPECT_TRUE(known.widens(1, in, out));
  EXPECT_FALSE(known.widens(128, in, out)) << "the other layers' products of the same size";
  plan.last_rows = {1, 2};
  known = weight_memory(config, Task::kSequenceClassification, plan);
  EXPECT_TRUE(known.widens(1, in, out)) << "of several, the kernel is one";
}

// Weights are as they are; what is widened for a moment depends on the rows.
TEST(WeightMemory, OfRequestsInBf16IsThatOfPlainWeights) {
  const ModelConfig config = preset("llama-test");
  WeightPlan plan;
  plan.linears = {.precision = "bf16", .fused = true};
  plan.bytes_per_weight = 2;
  plan.rows = {128};
  plan.last_rows = {1};
  plan.leaves_out_tokens = true;
  plan.step_rows = 1;
  const WeightMemory plain = weight_memory(config, Task::kCausalLm, plan);
  EXPECT_TRUE(plain.widened.empty());
  plan.linears.is_tried = plan.linears.decodes = true;
  const WeightMemory unknown = weight_memory(config, Task::kCausalLm, plan);
  EXPECT_FALSE(unknown.is_known);
  EXPECT_EQ(unknown.allocated, plain.allocated);
  const LinearSpec down = draw_blueprint(config, Task::kCausalLm).layers.front().feed_forward.out;
  for (const std::int64_t rows : {1, 128}) EXPECT_TRUE(unknown.widens(rows, down.in, down.out)) << rows;
  ProductChoice choice;
  plan.chosen = [&](const ProductSize& size) {
    EXPECT_TRUE(size.has_plain_weights);
    EXPECT_EQ(size.uses.size(), 1U) << "each number of rows has a kernel of its own";
    choice.kernel = size.uses.front().rows == 1 ? "linear" : "widened";
    return &choice;
  };
  const WeightMemory known = weight_memory(config, Task::kCausalLm, plan);
  EXPECT_TRUE(known.is_known);
  EXPECT_EQ(known.allocated, plain.allocated);
  EXPECT_TRUE(known.widens(128, down.in, down.out));
  EXPECT_FALSE(known.widens(1, down.in, down.out));
}

TEST(WeightMemory, OfRequestsForOneTokenAsksForKernelsOfThePromptAlone) {
  const ModelConfig config = preset("llama-test");
  WeightPlan plan;
  plan.linears = {.precision = "bf16", .fused = true, .is_tried = true, .decodes = true};
  plan.rows = {128};
  plan.last_rows = {1};
  std::map<std::int64_t, int> asked;
  plan.chosen = [&](const ProductSize& size) {
    ++asked[size.uses.front().rows];
    return nullptr;
  };
  weight_memory(config, Task::kCausalLm, plan);
  const int products = asked[128];
  EXPECT_GT(products, 0);
  EXPECT_EQ(asked[1], 1) << "the head";
  asked.clear();
  plan.step_rows = 1;
  weight_memory(config, Task::kCausalLm, plan);
  EXPECT_EQ(asked[128], products);
  EXPECT_EQ(asked[1], products + 1);
}

// The head reads the prompt's last token, then one of each beam.
TEST(WeightMemory, OfBeamsAsksForKernelsOfAsManyRows) {
  const ModelConfig config = preset("llama-test");
  WeightPlan plan;
  plan.linears = {.precision = "bf16", .fused = true, .is_tried = true, .decodes = true};
  plan.rows = {128};
  plan.last_rows = {1};
  plan.step_rows = 4;
  std::map<std::int64_t, int> asked;
  plan.chosen = [&](const ProductSize& size) {
    ++asked[size.uses.front().rows];
    return nullptr;
  };
  weight_memory(config, Task::kCausalLm, plan);
  EXPECT_EQ(asked[1], 1);
  EXPECT_EQ(asked[4], asked[128] + 1);
}

// A decoder of the model's own computes one token at a time, but for keys and values of the encoded text.
TEST(WeightMemory, OfAnEncoderDecoderAsksForKernelsOfOneRow) {
  WeightPlan plan;
  plan.linears = {.precision = "bf16", .fused = true, .is_tried = true, .decodes = true};
  plan.rows = {128};
  plan.last_rows = {1};
  plan.step_rows = 1;
  std::map<std::int64_t, int> asked;
  plan.chosen = [&](const ProductSize& size) {
    ++asked[size.uses.front().rows];
    return nullptr;
  };
  const ModelConfig config = preset("t5-test");
  weight_memory(config, Task::kSeq2SeqLm, plan);
  const Blueprint blueprint = draw_blueprint(config, Task::kSeq2SeqLm);
  const auto encoder = static_cast<int>(blueprint.layers.size());
  const auto decoder = static_cast<int>(blueprint.decoder->layers.size());
  const int of_a_feed_forward = 2;  // what is gated is joined
  EXPECT_EQ(asked[128], encoder * (2 + of_a_feed_forward) + decoder);
  EXPECT_EQ(asked[1], decoder * (4 + of_a_feed_forward) + 1) << "and the head";
}

TEST(WeightMemory, AKernelThatTakesWeightsAsTheyAreNeedsNoCopyOfATableOfWords) {
  if (!at::hasMKL()) GTEST_SKIP() << "no MKL";
  const ModelConfig config = preset("gpt2-test");
  WeightPlan plan;
  plan.linears = {.prepacked = true, .is_tried = true, .one_shape = true};
  plan.rows = plan.last_rows = {128};
  ProductChoice choice;
  plan.chosen = [&](const ProductSize&) { return &choice; };
  const auto allocated_with = [&](const char* kernel) {
    choice.kernel = kernel;
    return weight_memory(config, Task::kCausalLm, plan).allocated;
  };
  const double words = static_cast<double>(config.vocab_size) * static_cast<double>(config.hidden_size) * sizeof(float);
  EXPECT_EQ(allocated_with("onednn_prepacked") - allocated_with("linear"), words);
}

}  // namespace
}  // namespace transformeter
