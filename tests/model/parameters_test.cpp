// Seeded weights: reproducible, of the right spread, and independent of the task's other tensors.
#include "model/parameters.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spec/presets.h"

namespace transformeter {
namespace {

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
