// What CLIP learns of images and captions against Transformers and torch.optim (scripts/references/clip_reference.py):
// losses, gradients, and where values are dropped.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/blueprint.h"
#include "spec/lora.h"
#include "train/learning_way.h"
#include "train/micro_batch.h"
#include "train/pair_training.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

class ClipTraining : public PairTraining {
 protected:
  ClipTraining() : PairTraining("tiny-clip", PairLoss::kSoftmax) {}
};

TEST_P(ClipTraining, FollowsTheCurveOfTransformers) {
  expect_curve();
}

TEST_P(ClipTraining, FollowsTheCurveInAutocastRoughly) {
  if (way_.is_fused) GTEST_SKIP() << "the kernels settled here are of fp32";
  expect_autocast_curve_roughly(at::kBFloat16);
}

TEST_P(ClipTraining, EveryWeightHasTheGradientOfTransformers) {
  const Learner learner = this->learner();
  const MicroBatch batch = pairs(0);
  const at::Tensor loss = mean_loss(logits(learner, batch), batch);
  loss.backward();
  EXPECT_EQ(learner.weights.weights.size(), 94U) << "both towers and the scale";
  EXPECT_NEAR(loss.item<double>(), value("loss"), kSamePairLoss);
  EXPECT_LE(gradient_error(learner), kSamePairGradient);
}

TEST_P(ClipTraining, AWrongLossShows) {
  const auto right = [this](const Learner& learner, const MicroBatch& batch) {
    return mean_loss(logits(learner, batch), batch);
  };
  EXPECT_LE(gradient_error(right), kSamePairGradient);
  const auto one_direction = [&](bool is_of_images) {
    return gradient_error([&](const Learner& learner, const MicroBatch& batch) {
      const at::Tensor outputs = logits(learner, batch);
      return -(is_of_images ? outputs.t() : outputs).log_softmax(-1).diagonal().mean();
    });
  };
  EXPECT_GT(one_direction(false), kWrongPairGradient) << "images of texts alone";
  EXPECT_GT(one_direction(true), kWrongPairGradient) << "texts of images alone";
  const auto shifted = [this](const Learner& learner, const MicroBatch& batch) {
    return mean_loss(logits(learner, batch).roll(1, 0), batch);
  };
  EXPECT_GT(gradient_error(shifted), kWrongPairGradient) << "each image with another's caption";
  const auto fixed_scale = [this](const Learner& learner, const MicroBatch& batch) {
    const at::Tensor scale = learner.weights.parameters.at("logit_scale");
    return mean_loss(logits(learner, batch) / scale.exp() * scale.exp().detach(), batch);
  };
  EXPECT_GT(gradient_error(fixed_scale), kWrongPairGradient) << "a scale that is not learnt";
  const auto unscaled = [this](const Learner& learner, const MicroBatch& batch) {
    return mean_loss(logits(learner, batch) / learner.weights.parameters.at("logit_scale").exp(), batch);
  };
  EXPECT_GT(gradient_error(unscaled), kWrongPairGradient) << "no scale";
  EXPECT_GT(gradient_error(right, {[](Blueprint& blueprint) { blueprint.head.normalized = false; }}),
            kWrongPairGradient)
      << "images' vectors of other lengths than 1";
  const auto longer_texts = [](Blueprint& blueprint) {
    if (blueprint.text_tower) blueprint.text_tower->head.normalized = false;
  };
  EXPECT_GT(gradient_error(right, {longer_texts}), kWrongPairGradient) << "texts' vectors likewise";
  const auto padded = [this](const Learner& learner, MicroBatch batch) {
    batch.inputs.token_mask = batch.inputs.attention_mask = batch.inputs.last_columns = at::Tensor();
    return mean_loss(logits(learner, batch), batch);
  };
  EXPECT_GT(gradient_error(padded), kWrongPairGradient) << "texts that end where the longest one does";
}

// The loss is the same; one tower learns nothing.
TEST_P(ClipTraining, ATowerThatLearnsNothingShows) {
  for (const bool is_of_images : {false, true}) {
    const auto alone = [&](const Learner& learner, const MicroBatch& batch) {
      MicroBatch images, texts = batch;
      images.inputs.pixel_values = std::exchange(texts.inputs.pixel_values, at::Tensor());
      const at::Tensor image = logits(learner, images), text = logits(learner, texts);
      const at::Tensor products =
          (is_of_images ? text.detach() : text).matmul((is_of_images ? image : image.detach()).t());
      const at::Tensor loss = mean_loss(products * learner.weights.parameters.at("logit_scale").exp(), batch);
      EXPECT_NEAR(loss.item<double>(), value("loss"), kSamePairLoss);
      return loss;
    };
    EXPECT_GT(gradient_error(alone), kWrongPairGradient) << is_of_images;
  }
}

// Each pair is held against those of its own micro-batch alone.
TEST_P(ClipTraining, MicroBatchesAreHeldApart) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const std::vector<MicroBatch> both{pairs(0), pairs(1)};
  double sum = 0;
  for (const MicroBatch& batch : both) sum += mean_loss(trainer.outputs(batch), batch).item<double>();
  EXPECT_EQ(trainer.outputs(both.front()).sizes(), at::IntArrayRef({4, 4}));
  EXPECT_NEAR(trainer.step(both).loss, sum / 2, kSamePairLoss);
}

TEST_P(ClipTraining, DropsValuesWhereTransformersDoes) {
  EXPECT_NEAR(dropped_loss(0.1, 0.1), value("dropped_loss"), 1e-4);
  EXPECT_GT(std::abs(dropped_loss(0, 0.1) - value("dropped_loss")), 1e-2);
  EXPECT_GT(std::abs(dropped_loss(0.1, 0) - value("dropped_loss")), 1e-2);
}

// y = W x + scale · B (A x): of the gradient G of W, A's is scale · Bᵀ G and B's scale · G Aᵀ. The adapters cancel out,
// so that G is that of the whole model.
TEST_P(ClipTraining, AdaptersOfBothTowersHaveTheirGradients) {
  const MicroBatch batch = pairs(0);
  const Learner whole = learner();
  mean_loss(logits(whole, batch), batch).backward();
  const LoraPlan lora = plan_lora(open_checkpoint(folder_).config, kLearntPairs, {4, 8, ""});
  const Learner adapted = learner({.lora = lora});
  cancel_adapters(adapted.weights.parameters, lora, 1);
  const at::Tensor loss = mean_loss(logits(adapted, batch), batch);
  loss.backward();
  EXPECT_NEAR(loss.item<double>(), value("loss"), 1e-4);
  EXPECT_EQ(adapted.weights.weights.size(), 2U * lora.matrices.size()) << "adapters alone";
  const at::NoGradGuard guard;
  const auto error = [](const at::Tensor& gradient, const at::Tensor& expected) {
    return gradient.defined() ? ((gradient - expected).norm() / expected.norm()).item<double>() : 1;
  };
  for (const LinearSpec& matrix : lora.matrices) {
    SCOPED_TRACE(matrix.weight);
    const at::Tensor gradient = whole.weights.parameters.at(matrix.weight).grad() * lora.scale();
    const at::Tensor lora_a = adapted.weights.parameters.at(lora_a_of(matrix.weight));
    const at::Tensor lora_b = adapted.weights.parameters.at(lora_b_of(matrix.weight));
    EXPECT_LE(error(lora_a.grad(), lora_b.t().matmul(gradient)), 1e-3);
    EXPECT_LE(error(lora_b.grad(), gradient.matmul(lora_a.t())), 1e-3);
  }
}

// Weights that are neither biases nor norms decay, though they are no matrices.
TEST_P(ClipTraining, TheScaleAndTheTokenOfTheClassDecay) {
  const Learner learner = this->learner();
  for (const TrainedWeight& weight : learner.weights.weights) {
    const bool is_norm =
        weight.name.find("norm") != std::string::npos || weight.name.find("layrnorm") != std::string::npos;
    const bool is_bias = weight.name.ends_with("bias");
    EXPECT_EQ(weight.decays, !is_norm && !is_bias) << weight.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, ClipTraining,
                         testing::Values(LearningWay{}, LearningWay{true, false}, LearningWay{false, true},
                                         LearningWay{true, true}),
                         [](const auto& one) {
                           return std::string(one.param.is_fused ? "Fused" : "Plain") +
                                  (one.param.checkpoints_layers ? "Checkpointed" : "");
                         });

}  // namespace
}  // namespace transformeter
