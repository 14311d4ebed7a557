// What SigLIP learns of images and captions against Transformers and torch.optim
// (scripts/references/siglip_reference.py): losses, gradients, and where values are dropped.
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>

#include <cmath>
#include <functional>
#include <string>

#include "train/learning_way.h"
#include "train/micro_batch.h"
#include "train/pair_training.h"

namespace transformeter {
namespace {

class SiglipTraining : public PairTraining {
 protected:
  SiglipTraining() : PairTraining("tiny-siglip", PairLoss::kSigmoid) {}
};

TEST_P(SiglipTraining, FollowsTheCurveOfTransformers) {
  expect_curve();
}

// The scale is a vector of one, as in the checkpoint: what it multiplies becomes fp32.
TEST_P(SiglipTraining, FollowsTheCurveInAutocastRoughly) {
  if (way_.is_fused) GTEST_SKIP() << "the kernels settled here are of fp32";
  expect_autocast_curve_roughly(at::kFloat);
}

TEST_P(SiglipTraining, EveryWeightHasTheGradientOfTransformers) {
  const Learner learner = this->learner();
  const MicroBatch batch = pairs(0);
  const at::Tensor loss = mean_loss(logits(learner, batch), batch);
  loss.backward();
  EXPECT_EQ(learner.weights.weights.size(), 104U) << "both towers, scale and bias";
  EXPECT_NEAR(loss.item<double>(), value("loss"), kSamePairLoss);
  EXPECT_LE(gradient_error(learner), kSamePairGradient);
}

TEST_P(SiglipTraining, AWrongLossShows) {
  const auto error_of = [&](const std::function<at::Tensor(const at::Tensor& logits)>& loss_of_logits) {
    return gradient_error(
        [&](const Learner& learner, const MicroBatch& batch) { return loss_of_logits(logits(learner, batch)); });
  };
  const MicroBatch batch = pairs(0);
  EXPECT_LE(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, batch); }), kSamePairGradient);
  MicroBatch other = batch;
  other.labels.pairs = PairLoss::kSoftmax;
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, other); }), kWrongPairGradient)
      << "CLIP's loss";
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs, batch) / 4; }), kWrongPairGradient)
      << "the mean over all pairs";
  EXPECT_GT(error_of([&](const at::Tensor& outputs) { return mean_loss(outputs.roll(1, 0), batch); }),
            kWrongPairGradient)
      << "each image with another's caption";
  const auto without_bias = [&](const Learner& learner, const MicroBatch& pairs) {
    return mean_loss(logits(learner, pairs) - learner.weights.parameters.at("logit_bias"), pairs);
  };
  EXPECT_GT(gradient_error(without_bias), kWrongPairGradient);
}

TEST_P(SiglipTraining, DropsValuesWhereTransformersDoes) {
  EXPECT_NEAR(dropped_loss(0.1, 0.1), value("dropped_loss"), 1e-4);
  EXPECT_GT(std::abs(dropped_loss(0, 0.1) - value("dropped_loss")), 5e-3);
  EXPECT_GT(std::abs(dropped_loss(0.1, 0) - value("dropped_loss")), 5e-3);
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
