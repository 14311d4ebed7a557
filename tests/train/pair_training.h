// A tiny model of images and captions that learns pairs, against the curve of Transformers and torch.optim beside it.
#pragma once

#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/family_testing.h"
#include "spec/blueprint.h"
#include "support/source_tree.h"
#include "train/learner.h"
#include "train/learning_way.h"
#include "train/loss.h"
#include "train/micro_batch.h"
#include "train/patterned_dropout.h"
#include "train/trainer.h"

namespace transformeter {

constexpr Task kLearntPairs = Task::kContrastiveImageText;
constexpr double kSamePairLoss = 1e-5;
constexpr double kSamePairGradient = 1e-4;  // of a norm of 1, and in proportion to larger ones
constexpr double kWrongPairGradient = 0.05;

class PairTraining : public testing::TestWithParam<LearningWay> {
 protected:
  PairTraining(const std::string& model, PairLoss pair_loss)
      : folder_(source_directory() / "tests/data/models" / model), pair_loss_(pair_loss) {}

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
    batch.labels = numbers(captions);
    batch.target_length = captions.size(1);
    MicroBatchOptions options;
    options.loss = LossKind::kPairs;
    options.pairs = pair_loss_;
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

  void expect_curve() const {
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

  /// Which bits a product loses depends on the processor, and what was lost once is learnt from.
  /// `logits`: the type of what the loss is computed from.
  void expect_autocast_curve_roughly(at::ScalarType logits) const {
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
    EXPECT_EQ(trainer.output_type(), logits);
  }

  /// Of the first batch, with these shares of the attention's values dropped in a pattern.
  double dropped_loss(double of_images, double of_texts) const {
    const PatternedDropout operators;
    MicroBatch batch = pairs(0);
    batch.inputs.is_training = true;
    const Learner learner = this->learner({[&](Blueprint& blueprint) {
      for (LayerSpec& layer : blueprint.layers) layer.attention.dropout = of_images;
      if (!blueprint.text_tower) return;
      for (LayerSpec& layer : blueprint.text_tower->layers) layer.attention.dropout = of_texts;
    }});
    return mean_loss(learner.model->forward(batch.inputs, operators), batch).item<double>();
  }

  LearningWay way_ = GetParam();
  std::filesystem::path folder_;
  PairLoss pair_loss_;
  Reference curve_{folder_ / "curve.safetensors"};
};

}  // namespace transformeter
