// What SigLIP learns of images and captions against Transformers and torch.optim
// (scripts/references/siglip_reference.py): losses, gradients, and where values are dropped.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/family_testing.h"
#include "engine/trained_linear.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "spec/blueprint.h"
#include "support/source_tree.h"
#include "train/gradient_error.h"
#include "train/learning_way.h"
#include "train/loss.h"
#include "train/micro_batch.h"
#include "train/patterned_dropout.h"
#include "train/trained_weights.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

constexpr Task kSiglipTask = Task::kContrastiveImageText;
constexpr double kSameSiglipLoss = 1e-5;
constexpr double kSameSiglipGradient = 1e-4;  // of a norm of 1, and in proportion to larger ones
constexpr double kWrongSiglipGradient = 0.05;

void keep_siglip(Blueprint&) {}

class SiglipTraining : public testing::TestWithParam<LearningWay> {
 protected:
  void SetUp() override { at::set_num_threads(1); }  // a model too small for more

  struct Learner {
    TrainedWeights weights;
    std::unique_ptr<Model> model;
    std::unique_ptr<Operators> operators;
  };

  Learner learner(const Change& change = keep_siglip) const {
    Checkpoint checkpoint = open_checkpoint(folder_);
    ModelConfig config = checkpoint.config;
    config.architecture = changed(*config.architecture, change);
    Learner learner;
    learner.weights = trained_weights(checkpoint_parameters(std::move(checkpoint), kSiglipTask, at::kFloat),
                                      tensor_inventory(config, kSiglipTask), at::kFloat, std::nullopt);
    const auto linears = std::make_shared<TrainedLinears>(TrainingKernels::of(at::kFloat, true));
    if (way_.is_fused) learner.weights.parameters.use_linears(linears);
    learner.model = make_transformer(config, kSiglipTask, learner.weights.parameters);
    if (way_.is_fused) linears->settle(40, "onednn", nullptr);
    learner.operators = operators_of(way_);
    return learner;
  }

  MicroBatch pairs(std::int64_t step) const {
    const std::string name = std::to_string(step % 2);
    const at::Tensor captions = curve_.at(name + ".captions");
    TrainingBatch batch;
    batch.inputs = image_batch(curve_.at(name + ".pixel_values"), open_checkpoint(folder_).config.image_tokens);
    batch.label_kind = LabelKind::kCaption;
    batch.labels = transformeter::numbers(captions);
    batch.target_length = captions.size(1);
    MicroBatchOptions options;
    options.loss = LossKind::kPairs;
    options.pairs = PairLoss::kSigmoid;
    return make_micro_batch(batch, options);
  }

  TrainerOptions trainer_options() const { return curve_options(LossKind::kPairs, 1e-3, way_); }

  at::Tensor logits(const Learner& learner, const MicroBatch& batch) const {
    ModelInputs inputs = batch.inputs;
    inputs.checkpoints_layers = way_.checkpoints_layers;
    inputs.needed_tokens_only = way_.is_fused;
    return learner.model->forward(inputs, *learner.operators);
  }
  static at::Tensor mean_loss(const at::Tensor& outputs, const MicroBatch& batch) {
    return loss_sum(LossKind::kPairs, outputs, batch.labels) / batch.labels.count;
  }

  /// How far the gradients are from those of the first batch: the largest over all weights.
  double gradient_error(const Learner& learner) const {
    double worst = 0;
    for (const TrainedWeight& weight : learner.weights.weights) {
      worst =
          std::max(worst, transformeter::gradient_error(weight, curve_.at("gradient." + weight.name).to(at::kDouble)));
    }
    return worst;
  }
  /// The same where something else is computed of the first batch.
  double gradient_error(const std::function<at::Tensor(const Learner& learner, const MicroBatch& batch)>& loss_of,
                        const Change& change = keep_siglip) const {
    const Learner wrong = learner(change);
    loss_of(wrong, pairs(0)).backward();
    return gradient_error(wrong);
  }
  double value(const std::string& name) const { return curve_.at(name).item<double>(); }

  LearningWay way_ = GetParam();
  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-siglip";
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(SiglipTraining, FollowsTheCurveOfTransformers) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const at::Tensor losses = curve_.at("losses"), norms = curve_.at("norms");
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    SCOPED_TRACE(step);
    const StepResult result = trainer.step({pairs(step)});
    EXPECT_NEAR(result.loss, losses[step].item<double>(), kSameSiglipLoss);
    EXPECT_NEAR(result.gradient_norm / norms[step].item<double>(), 1, 1e-3);
  }
}

// Which bits a product loses depends on the processor, and what was lost once is learnt from.
TEST_P(SiglipTraining, FollowsTheCurveInAutocastRoughly) {
  if (way_.is_fused) GTEST_SKIP() << "the kernels settled here are of fp32";
  const Learner learner = this->learner();
  TrainerOptions options = trainer_options();
  options.autocast = at::kBFloat16;
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, options);
  const at::Tensor losses = curve_.at("bf16_autocast_losses");
  double squares = 0;
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    const double difference = trainer.step({pairs(step)}).loss - losses[step].item<double>();
    squares += difference * difference;
  }
  EXPECT_LE(std::sqrt(squares / static_cast<double>(losses.numel())), 0.05);
  EXPECT_EQ(trainer.output_type(), at::kBFloat16);
}

TEST_P(SiglipTraining, EveryWeightHasTheGradientOfTransformers) {
  const Learner learner = this->learner();
  const MicroBatch batch = pairs(0);
  const at::Tensor loss = mean_loss(logits(learner, batch), batch);
  loss.backward();
  EXPECT_EQ(learner.weights.weights.size(), 104U) << "both towers, scale and bias";
  EXPECT_NEAR(loss.item<double>(), value("loss"), kSameSiglipLoss);
  EXPECT_LE(gradient_error(learner), kSameSiglipGradient);
}

TEST_P(SiglipTraining, AWrongLossShows) {
  const auto error_of = [&](const std::function<at::Tensor(const at::Tensor& logits)>& loss_of_logits) {
    return gradient_error(
        [&](const Learner& learner, const MicroBatch& batch) { return loss_of_logits(logits(learner, batch)); });
  };
  const MicroBatch batch = pairs(0);
  EXPECT_LE(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, batch); }), kSameSiglipGradient);
  MicroBatch other = batch;
  other.labels.pairs = PairLoss::kSoftmax;
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, other); }), kWrongSiglipGradient)
      << "CLIP's loss";
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, batch) / 4; }), kWrongSiglipGradient)
      << "the mean over all pairs";
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs.roll(1, 0), batch); }),
            kWrongSiglipGradient)
      << "each image with another's caption";
  const auto without_bias = [&](const Learner& learner, const MicroBatch& pairs) {
    return mean_loss(logits(learner, pairs) - learner.weights.parameters.at("logit_bias"), pairs);
  };
  EXPECT_GT(gradient_error(without_bias), kWrongSiglipGradient);
}

TEST_P(SiglipTraining, DropsValuesWhereTransformersDoes) {
  const PatternedDropout operators;
  MicroBatch batch = pairs(0);
  batch.inputs.is_training = true;
  const auto loss = [&](double of_images, double of_texts) {
    const Learner learner = this->learner([&](Blueprint& blueprint) {
      for (LayerSpec& layer : blueprint.layers) layer.attention.dropout = of_images;
      if (!blueprint.text_tower) return;
      for (LayerSpec& layer : blueprint.text_tower->layers) layer.attention.dropout = of_texts;
    });
    return mean_loss(learner.model->forward(batch.inputs, operators), batch).item<double>();
  };
  EXPECT_NEAR(loss(0.1, 0.1), value("dropped_loss"), 1e-4);
  EXPECT_GT(std::abs(loss(0, 0.1) - value("dropped_loss")), 5e-3);
  EXPECT_GT(std::abs(loss(0.1, 0) - value("dropped_loss")), 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Tiny, SiglipTraining,
                         testing::Values(LearningWay{}, LearningWay{true, false}, LearningWay{false, true},
                                         LearningWay{true, true}),
                         [](const auto& one) {
                           return std::string(one.param.is_fused ? "Fused" : "Plain") +
                                  (one.param.checkpoints_layers ? "Checkpointed" : "");
                         });

}  // namespace
}  // namespace transformeter
