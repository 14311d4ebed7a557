// What T5 learns against Transformers and torch.optim (scripts/references/t5_reference.py): losses, gradients, and
// where values are dropped.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>

#include "engine/family_testing.h"
#include "support/source_tree.h"
#include "train/learner.h"
#include "train/learning_way.h"
#include "train/loss.h"
#include "train/micro_batch.h"
#include "train/patterned_dropout.h"
#include "train/trainer.h"

namespace transformeter {
namespace {

constexpr Task kLearntTask = Task::kSeq2SeqLm;
constexpr double kSameLoss = 1e-5;
constexpr double kSameGradient = 1e-4;  // of a norm of 1, and in proportion to larger ones
constexpr double kWrongGradient = 0.1;

class T5Training : public testing::TestWithParam<std::tuple<const char*, LearningWay>> {
 protected:
  void SetUp() override { at::set_num_threads(1); }  // models too small for more

  Learner learner(const LearnerOptions& options = {}) const {
    return make_learner(folder_, kLearntTask, way_, 40, options);
  }

  MicroBatch pairs(std::int64_t step) const {
    const std::string name = std::to_string(step % 2);
    TrainingBatch batch;
    batch.inputs = batch_of(curve_, name);
    const at::Tensor labels = curve_.at(name + ".labels");
    batch.label_kind = LabelKind::kTarget;
    batch.labels = transformeter::numbers(labels);
    batch.target_length = labels.size(1);
    MicroBatchOptions options;
    options.start_token = 0;
    return make_micro_batch(batch, options);
  }

  TrainerOptions trainer_options() const { return curve_options(LossKind::kLabels, 1e-4, way_); }

  /// The mean loss of the first batch, its gradients computed.
  double first_loss(const Learner& learner, const MicroBatch& batch) const {
    ModelInputs inputs = batch.inputs;
    inputs.checkpoints_layers = way_.checkpoints_layers;
    const at::Tensor logits = learner.model->forward(inputs, *learner.operators);
    const at::Tensor loss = loss_sum(LossKind::kLabels, logits, batch.labels) / batch.labels.count;
    loss.backward();
    return loss.item<double>();
  }

  /// From those of the first batch.
  double gradient_error(const Learner& learner) const {
    return transformeter::gradient_error(learner, [this](const std::string& name) { return curve_.at(name); });
  }
  /// Of a changed batch or blueprint.
  double gradient_error(const MicroBatch& batch, const LearnerOptions& options = {}) const {
    const Learner wrong = learner(options);
    first_loss(wrong, batch);
    return gradient_error(wrong);
  }
  double value(const std::string& name) const { return curve_.at(name).item<double>(); }

  LearningWay way_ = std::get<LearningWay>(GetParam());
  std::filesystem::path folder_ =
      source_directory() / "tests/data/models" / (std::string("tiny-") + std::get<const char*>(GetParam()));
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(T5Training, FollowsTheCurveOfTransformers) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const at::Tensor losses = curve_.at("losses"), norms = curve_.at("norms");
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    SCOPED_TRACE(step);
    const StepResult result = trainer.step({pairs(step)});
    EXPECT_NEAR(result.loss, losses[step].item<double>(), kSameLoss);
    EXPECT_NEAR(result.gradient_norm / norms[step].item<double>(), 1, 1e-3);
  }
}

// Which bits a product loses depends on the processor, and what was lost once is learnt from.
TEST_P(T5Training, FollowsTheCurveInAutocastRoughly) {
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
  EXPECT_LE(std::sqrt(squares / static_cast<double>(losses.numel())), 0.1);
  EXPECT_EQ(trainer.output_type(), at::kBFloat16);
}

TEST_P(T5Training, EveryWeightHasTheGradientOfTransformers) {
  const Learner learner = this->learner();
  EXPECT_NEAR(first_loss(learner, pairs(0)), value("loss"), kSameLoss);
  EXPECT_LE(gradient_error(learner), kSameGradient);
}

TEST_P(T5Training, AWrongLossShows) {
  MicroBatch unshifted = pairs(0);
  unshifted.inputs.decoder_input_ids = unshifted.labels.classes.clamp_min(0);
  EXPECT_GT(gradient_error(unshifted), kWrongGradient) << "labels that the decoder reads as they are";
  MicroBatch padded = pairs(0);
  padded.labels.classes = padded.labels.classes.clamp_min(0);
  padded.labels.count = count_labels(LossKind::kLabels, padded.labels.classes);
  EXPECT_GT(gradient_error(padded), kWrongGradient) << "padding that counts";
  MicroBatch unmasked = pairs(0);
  unmasked.inputs.attention_mask = at::Tensor();
  EXPECT_GT(gradient_error(unmasked), kWrongGradient) << "padding that is attended to";
  const auto scaled = [](Blueprint& blueprint) {
    HeadSpec& head = blueprint.head;
    head.input_scale = head.input_scale == 1 ? 0.5 : 1;
  };
  EXPECT_GT(gradient_error(pairs(0), {scaled}), kWrongGradient) << "logits of another scale";
}

// The loss is the same; the encoder learns nothing.
TEST_P(T5Training, AGradientThatStopsBeforeTheEncoderShows) {
  const Learner learner = this->learner();
  MicroBatch batch = pairs(0);
  EncodedText encoded(false);
  batch.inputs.encoded = &encoded;
  learner.model->forward(batch.inputs, *learner.operators);
  encoded.set(encoded.hidden().detach(), encoded.mask());
  EXPECT_NEAR(first_loss(learner, batch), value("loss"), kSameLoss);
  EXPECT_GT(gradient_error(learner), kWrongGradient);
}

TEST_P(T5Training, MicroBatchesCountByTheirLabels) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const std::vector<MicroBatch> both{pairs(0), pairs(1)};
  double sum = 0, count = 0;
  for (const MicroBatch& batch : both) {
    const at::Tensor logits = trainer.outputs(batch);
    sum += loss_sum(LossKind::kLabels, logits, batch.labels).item<double>();
    count += static_cast<double>(batch.labels.count);
  }
  EXPECT_EQ(count, 6 + 8 + 3 + 4 + 7 + 9) << "tokens of the targets";
  EXPECT_NEAR(trainer.step(both).loss, sum / count, kSameLoss);
}

TEST_P(T5Training, DropsValuesWhereTransformersDoes) {
  const Learner learner = this->learner();
  const PatternedDropout operators;
  MicroBatch batch = pairs(0);
  batch.inputs.is_training = true;
  const auto loss = [&](const Model& model) {
    const at::Tensor logits = model.forward(batch.inputs, operators);
    return loss_sum(LossKind::kLabels, logits, batch.labels).item<double>() / static_cast<double>(batch.labels.count);
  };
  EXPECT_NEAR(loss(*learner.model), value("dropped_loss"), 1e-4);
  const auto error = [&](const Change& change) {
    return std::abs(loss(*this->learner({change}).model) - value("dropped_loss"));
  };
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.hidden_dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.final_dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.layers.front().feed_forward.dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.decoder->layers.front().cross_attention->dropout = 0; }), 1e-3);
}

// A second run of a layer, the decoder's too, drops what the first one dropped.
TEST_P(T5Training, DropoutIsTheSameWithCheckpoints) {
  const auto first = [&](bool checkpoints_layers) {
    const Learner learner = this->learner();
    TrainerOptions options = trainer_options();
    options.has_dropout = true;
    options.checkpoints_layers = checkpoints_layers;
    options.seed = 5;
    Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, options);
    return trainer.step({pairs(0)});
  };
  const StepResult plain = first(false), checkpointed = first(true);
  EXPECT_NEAR(plain.loss, checkpointed.loss, kSameLoss);
  EXPECT_NEAR(plain.gradient_norm / checkpointed.gradient_norm, 1, 1e-4);
  EXPECT_GT(std::abs(plain.loss - value("loss")), 1e-3) << "something is dropped";
}

INSTANTIATE_TEST_SUITE_P(Tiny, T5Training,
                         testing::Combine(testing::Values("t5", "t5-relu"),
                                          testing::Values(LearningWay{}, LearningWay{true, false},
                                                          LearningWay{false, true}, LearningWay{true, true})),
                         [](const auto& one) {
                           const LearningWay way = std::get<LearningWay>(one.param);
                           const bool is_gated = std::string(std::get<const char*>(one.param)) == "t5";
                           return std::string(is_gated ? "Gated" : "Relu") + (way.is_fused ? "Fused" : "Plain") +
                                  (way.checkpoints_layers ? "Checkpointed" : "");
                         });

}  // namespace
}  // namespace transformeter
