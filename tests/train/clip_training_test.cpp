// What CLIP learns of images and captions against Transformers and torch.optim (scripts/references/clip_reference.py):
// losses, gradients, and where values are dropped.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/family_testing.h"
#include "spec/lora.h"
#include "support/source_tree.h"
#include "train/learner.h"
#include "train/learning_way.h"
#include "train/loss.h"
#include "train/micro_batch.h"
#include "train/patterned_dropout.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

constexpr Task kLearntPairs = Task::kContrastiveImageText;
constexpr double kSamePairLoss = 1e-5;
constexpr double kSamePairGradient = 1e-4;  // of a norm of 1, and in proportion to larger ones
constexpr double kWrongPairGradient = 0.05;

class ClipTraining : public testing::TestWithParam<LearningWay> {
 protected:
  void SetUp() override { at::set_num_threads(1); }  // a model too small for more

  Learner learner(const LearnerOptions& options = {}) const {
    return make_learner(folder_, kLearntPairs, way_, 40, options);
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
    options.end = draw_blueprint(open_checkpoint(folder_).config, Task::kEmbedding).end;
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

  /// From those of the first batch.
  double gradient_error(const Learner& learner) const {
    return transformeter::gradient_error(learner, [this](const std::string& name) { return curve_.at(name); });
  }
  /// The same where something else is computed of the first batch.
  double gradient_error(const std::function<at::Tensor(const Learner& learner, const MicroBatch& batch)>& loss_of,
                        const LearnerOptions& options = {}) const {
    const Learner wrong = learner(options);
    loss_of(wrong, pairs(0)).backward();
    return gradient_error(wrong);
  }
  double value(const std::string& name) const { return curve_.at(name).item<double>(); }

  LearningWay way_ = GetParam();
  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-clip";
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(ClipTraining, FollowsTheCurveOfTransformers) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const at::Tensor losses = curve_.at("losses"), norms = curve_.at("norms");
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    SCOPED_TRACE(step);
    const StepResult result = trainer.step({pairs(step)});
    EXPECT_NEAR(result.loss, losses[step].item<double>(), kSamePairLoss);
    EXPECT_NEAR(result.gradient_norm / norms[step].item<double>(), 1, 1e-3);
  }
}

// Which bits a product loses depends on the processor, and what was lost once is learnt from.
TEST_P(ClipTraining, FollowsTheCurveInAutocastRoughly) {
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
  const PatternedDropout operators;
  MicroBatch batch = pairs(0);
  batch.inputs.is_training = true;
  const auto loss = [&](double of_images, double of_texts) {
    const Learner learner = this->learner({[&](Blueprint& blueprint) {
      for (LayerSpec& layer : blueprint.layers) layer.attention.dropout = of_images;
      if (!blueprint.text_tower) return;
      for (LayerSpec& layer : blueprint.text_tower->layers) layer.attention.dropout = of_texts;
    }});
    return mean_loss(learner.model->forward(batch.inputs, operators), batch).item<double>();
  };
  EXPECT_NEAR(loss(0.1, 0.1), value("dropped_loss"), 1e-4);
  EXPECT_GT(std::abs(loss(0, 0.1) - value("dropped_loss")), 1e-2);
  EXPECT_GT(std::abs(loss(0.1, 0) - value("dropped_loss")), 1e-2);
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
