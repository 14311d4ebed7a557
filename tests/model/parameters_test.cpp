// Seeded weights: reproducible, of the right spread, and independent of the task's other tensors.
#include "model/parameters.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spec/presets.h"

namespace transformeter {
namespace {

// y = x Wᵀ + b + 3 · (x Aᵀ) Bᵀ, whichever way the matrix is stored, and nothing of other matrices.
TEST(Parameters, AddTheAdapterOfAMatrix) {
  const at::Tensor weight = at::randn({6, 4}), bias = at::randn({6});
  const at::Tensor lora_a = at::randn({2, 4}), lora_b = at::randn({6, 2});
  const at::Tensor input = at::randn({5, 4});
  for (const bool is_transposed : {false, true}) {
    Parameters parameters;
    parameters.add("a.weight", is_transposed ? weight.t().contiguous() : weight);
    parameters.add("a.bias", bias);
    parameters.add("b.weight", weight);
    parameters.add("lora_A", lora_a);
    parameters.add("lora_B", lora_b);
    parameters.adapt("a.weight", {"lora_A", "lora_B", 3});
    LinearSpec adapted = linear_spec("a", 4, 6);
    if (is_transposed) adapted.layout = WeightLayout::kInOut;
    const at::Tensor plain = at::linear(input, weight, bias);
    const at::Tensor expected = plain + 3 * at::linear(at::linear(input, lora_a), lora_b);
    EXPECT_TRUE(at::allclose(parameters.linear(adapted)->forward(input), expected, 1e-4, 1e-5));
    EXPECT_TRUE(at::allclose(parameters.linear(linear_spec("b", 4, 6, false))->forward(input),
                             at::linear(input, weight), 1e-4, 1e-5));
    EXPECT_EQ(parameters.count(), 24 + 6 + 24 + 8 + 12);
  }
}

TEST(SeededParameters, AreTheSameForTheSameSeedAndDifferForAnother) {
  const std::vector<TensorSpec> inventory = tensor_inventory(preset("bert-test"), Task::kSequenceClassification);
  const Parameters first = seeded_parameters(inventory, 0.02, 7, c10::ScalarType::Float);
  const Parameters again = seeded_parameters(inventory, 0.02, 7, c10::ScalarType::Float);
  const Parameters other = seeded_parameters(inventory, 0.02, 8, c10::ScalarType::Float);
  const std::string name = "bert.encoder.layer.1.attention.self.query.weight";
  EXPECT_TRUE(first.at(name).equal(again.at(name)));
  EXPECT_FALSE(first.at(name).equal(other.at(name)));
}

// More values than one thread fills.
TEST(SeededParameters, DoNotDependOnThreads) {
  const std::vector<TensorSpec> inventory{{"wide", {500, 1000}, Initialization::kNormal, ""}};
  at::set_num_threads(3);
  const at::Tensor three = seeded_parameters(inventory, 0.02, 0, c10::ScalarType::Float).at("wide");
  at::set_num_threads(1);
  EXPECT_TRUE(three.equal(seeded_parameters(inventory, 0.02, 0, c10::ScalarType::Float).at("wide")));
}

TEST(SeededParameters, DoNotDependOnTheTask) {
  const ModelConfig config = preset("bert-test");
  const Parameters classifier =
      seeded_parameters(tensor_inventory(config, Task::kSequenceClassification), 0.02, 0, c10::ScalarType::Float);
  const Parameters encoder =
      seeded_parameters(tensor_inventory(config, Task::kEmbedding), 0.02, 0, c10::ScalarType::Float);
  const std::string name = "bert.embeddings.word_embeddings.weight";
  EXPECT_TRUE(classifier.at(name).equal(encoder.at(name)));
}

TEST(SeededParameters, HaveTheAskedSpreadAndZeroBiases) {
  const Parameters parameters = seeded_parameters(tensor_inventory(preset("bert-test"), Task::kSequenceClassification),
                                                  0.02, 0, c10::ScalarType::Float);
  const at::Tensor& words = parameters.at("bert.embeddings.word_embeddings.weight");  // 64,000 values
  const double count = static_cast<double>(words.numel());
  EXPECT_NEAR(words.std().item<double>(), 0.02, 5 * 0.02 / std::sqrt(2 * count));
  EXPECT_NEAR(words.mean().item<double>(), 0, 5 * 0.02 / std::sqrt(count));
  EXPECT_EQ(parameters.at("classifier.bias").abs().max().item<double>(), 0);
}

TEST(SeededParameters, HaveDeviationOneOverRootFanIn) {
  const auto expect_spread = [](const char* model, const char* name, double expected) {
    const at::Tensor drawn =
        seeded_parameters(tensor_inventory(preset(model), Task::kEmbedding), std::nullopt, 0, c10::ScalarType::Float)
            .at(name);
    EXPECT_NEAR(drawn.std().item<double>(), expected,
                5 * expected / std::sqrt(2.0 * static_cast<double>(drawn.numel())))
        << model << ' ' << name;
  };
  expect_spread("bert-test", "bert.embeddings.word_embeddings.weight", 1);  // rows are looked up
  // Width 64, inner 128.
  expect_spread("bert-test", "bert.encoder.layer.0.intermediate.dense.weight", 1 / std::sqrt(64.0));
  expect_spread("bert-test", "bert.encoder.layer.0.output.dense.weight", 1 / std::sqrt(128.0));
  expect_spread("bert-test", "bert.encoder.layer.0.attention.self.key.weight", 1 / std::sqrt(64.0));
  expect_spread("bert-test", "bert.encoder.layer.0.attention.self.query.weight", 2 / std::sqrt(64.0));
}

TEST(SeededParameters, DefaultFanInIsTheProductOfTheOtherDimensions) {
  const std::vector<TensorSpec> inventory{{"matrix", {500, 400}, Initialization::kNormal, ""},
                                          {"vector", {5000}, Initialization::kNormal, ""},
                                          {"nothing", {0, 3}, Initialization::kNormal, ""}};
  const Parameters drawn = seeded_parameters(inventory, std::nullopt, 0, c10::ScalarType::Float);
  EXPECT_NEAR(drawn.at("matrix").std().item<double>(), 1 / 20.0, 0.001);
  EXPECT_NEAR(drawn.at("vector").std().item<double>(), 1, 0.06);
}

}  // namespace
}  // namespace transformeter
