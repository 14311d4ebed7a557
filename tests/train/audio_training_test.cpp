// What Wav2Vec2 and HuBERT learn against Transformers and torch.optim (scripts/references/speech_reference.py): losses,
// gradients, and where values are dropped.
#include <gtest/gtest.h>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

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

// In proportion to what is above 1.
constexpr double kSameSoundLoss = 2e-5;
constexpr double kSameSoundGradient = 2e-4;
constexpr double kWrongSoundGradient = 0.05;

struct LearntSounds {
  const char* folder;
  Task task;
};

void PrintTo(const LearntSounds& learnt, std::ostream* out) {
  *out << learnt.folder << ", " << name_of(learnt.task);
}

double distance(double found, double expected) {
  return std::abs(found - expected) / std::max(1.0, std::abs(expected));
}

class AudioTraining : public testing::TestWithParam<std::tuple<LearntSounds, LearningWay>> {
 protected:
  void SetUp() override { at::set_num_threads(1); }  // models too small for more

  Learner learner(const LearnerOptions& options = {}) const { return make_learner(folder_, task_, way_, 36, options); }

  MicroBatch sounds(std::int64_t step) const {
    const std::string name = std::to_string(step % 2);
    TrainingBatch batch;
    batch.inputs = sound_batch(curve_.at(name + ".input_values"), curve_.at(name + ".token_mask"));
    MicroBatchOptions options;
    options.loss = loss_;
    options.ctc = ctc_;
    if (task_ == Task::kAudioClassification) {
      batch.labels = transformeter::numbers(curve_.at(name + ".classes"));
      return make_micro_batch(batch, options);
    }
    const at::Tensor transcripts = curve_.at(name + ".transcripts");
    batch.label_kind = LabelKind::kTranscript;
    batch.labels = transformeter::numbers(transcripts);
    batch.target_length = transcripts.size(1);
    return make_micro_batch(batch, options);
  }

  double loss_of_step(const at::Tensor& outputs, const Labels& labels) const {
    const double divisor = labels.are_summed() ? 1 : static_cast<double>(labels.count);
    return loss_sum(loss_, outputs, labels).item<double>() / divisor;
  }

  /// Of the first batch, its gradients computed.
  double first_loss(const Learner& learner, const MicroBatch& batch) const {
    ModelInputs inputs = batch.inputs;
    inputs.checkpoints_layers = way_.checkpoints_layers;
    const at::Tensor outputs = learner.model->forward(inputs, *learner.operators);
    const double divisor = batch.labels.are_summed() ? 1 : static_cast<double>(batch.labels.count);
    const at::Tensor loss = loss_sum(loss_, outputs, batch.labels) / divisor;
    loss.backward();
    return loss.item<double>();
  }

  /// From those of the first batch.
  double gradient_error(const Learner& learner) const {
    return transformeter::gradient_error(learner, [this](const std::string& name) { return reference(name); });
  }
  /// Of a changed batch.
  double gradient_error(const MicroBatch& batch) const {
    const Learner wrong = learner();
    first_loss(wrong, batch);
    return gradient_error(wrong);
  }

  at::Tensor reference(const std::string& name) const { return curve_.at(std::string(name_of(task_)) + "." + name); }
  double value(const std::string& name) const { return reference(name).item<double>(); }
  TrainerOptions trainer_options() const { return curve_options(loss_, 1e-4, way_); }

  std::string name_ = std::get<LearntSounds>(GetParam()).folder;
  Task task_ = std::get<LearntSounds>(GetParam()).task;
  LearningWay way_ = std::get<LearningWay>(GetParam());
  LossKind loss_ = loss_of(task_);
  CtcSpec ctc_{0, name_ == "wav2vec2-stable", false};
  std::filesystem::path folder_ = source_directory() / "tests/data/models" / ("tiny-" + name_);
  Reference curve_{folder_ / "curve.safetensors"};
};

TEST_P(AudioTraining, FollowsTheCurveOfTransformers) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const at::Tensor losses = reference("losses"), norms = reference("norms");
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    SCOPED_TRACE(step);
    const StepResult result = trainer.step({sounds(step)});
    EXPECT_LE(distance(result.loss, losses[step].item<double>()), kSameSoundLoss);
    EXPECT_NEAR(result.gradient_norm / norms[step].item<double>(), 1, 1e-3);
  }
}

// Which bits a product loses depends on the processor, and what was lost once is learnt from.
TEST_P(AudioTraining, FollowsTheCurveInAutocastRoughly) {
  if (way_.is_fused) GTEST_SKIP() << "the kernels settled here are of fp32";
  const Learner learner = this->learner();
  TrainerOptions options = trainer_options();
  options.autocast = at::kBFloat16;
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, options);
  const at::Tensor losses = reference("bf16_autocast_losses");
  double squares = 0;
  for (std::int64_t step = 0; step < losses.numel(); ++step) {
    const double difference = distance(trainer.step({sounds(step)}).loss, losses[step].item<double>());
    squares += difference * difference;
  }
  EXPECT_LE(std::sqrt(squares / static_cast<double>(losses.numel())), 0.1);
  EXPECT_EQ(trainer.output_type(), at::kBFloat16);
}

TEST_P(AudioTraining, EveryWeightHasTheGradientOfTransformers) {
  const Learner learner = this->learner();
  EXPECT_LE(distance(first_loss(learner, sounds(0)), value("loss")), kSameSoundLoss);
  EXPECT_LE(gradient_error(learner), kSameSoundGradient);
}

// Both parts of the weight that is normalized, and convolutions, whose first reads samples.
TEST_P(AudioTraining, ConvolutionsLearn) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const auto copies = [&] {
    std::vector<at::Tensor> values;
    for (const TrainedWeight& weight : learner.weights.weights) {
      const bool is_convolution = weight.name.find("conv") != std::string::npos;
      if (is_convolution) values.push_back(weight.value.detach().clone());
    }
    return values;
  };
  const std::vector<at::Tensor> before = copies();
  trainer.step({sounds(0)});
  trainer.step({sounds(1)});
  const std::vector<at::Tensor> after = copies();
  ASSERT_GE(before.size(), 6U);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_FALSE(before[i].equal(after[i])) << i;
}

TEST_P(AudioTraining, AWrongLossShows) {
  if (task_ == Task::kAudioClassification) {
    MicroBatch shifted = sounds(0);
    shifted.labels.classes = (shifted.labels.classes + 1).remainder(5);
    EXPECT_GT(gradient_error(shifted), kWrongSoundGradient) << "other classes";
    return;
  }
  MicroBatch wrong = sounds(0);
  wrong.labels.ctc.blank = 6;
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "another class stands for nothing";
  wrong = sounds(0);
  wrong.labels.ctc.is_mean = !wrong.labels.ctc.is_mean;
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "another mean";
  wrong = sounds(0);
  wrong.labels.lengths.front() -= 1;
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "a transcript that ends before its last token";
  wrong = sounds(0);
  wrong.labels.frames.front() -= 1;
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "a sound that ends before its last frame";
  if (!wrong.inputs.token_mask.defined()) return;
  wrong = sounds(0);
  std::fill(wrong.labels.frames.begin(), wrong.labels.frames.end(), wrong.inputs.token_mask.size(1));
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "padding that says something";
  wrong = sounds(0);
  wrong.inputs.attention_mask = at::Tensor();
  EXPECT_GT(gradient_error(wrong), kWrongSoundGradient) << "padding that is attended to";
}

TEST_P(AudioTraining, MicroBatchesCountAsOneBatch) {
  const Learner learner = this->learner();
  Trainer trainer(*learner.model, *learner.operators, learner.weights.weights, trainer_options());
  const std::vector<MicroBatch> both{sounds(0), sounds(1)};
  double sum = 0;
  for (const MicroBatch& batch : both) sum += loss_of_step(trainer.outputs(batch), batch.labels);
  const double expected = both.front().labels.are_summed() ? sum : sum / 2;  // as many sounds in each
  EXPECT_LE(distance(trainer.step(both).loss, expected), kSameSoundLoss);
}

TEST_P(AudioTraining, DropsValuesWhereTransformersDoes) {
  const auto drops_frames = [](Blueprint& blueprint) { blueprint.embedding.waves->dropout = 0.1; };
  const PatternedDropout operators;
  MicroBatch batch = sounds(0);
  batch.inputs.is_training = true;
  const auto loss = [&](const Change& change) {
    const Learner learner = this->learner({change});
    return loss_of_step(learner.model->forward(batch.inputs, operators), batch.labels);
  };
  EXPECT_LE(distance(loss(drops_frames), value("dropped_loss")), 1e-4);
  const auto error = [&](const Change& change) {
    return distance(loss([&](Blueprint& blueprint) {
                      drops_frames(blueprint);
                      change(blueprint);
                    }),
                    value("dropped_loss"));
  };
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.embedding.waves->dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.hidden_dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.layers.front().attention.dropout = 0; }), 1e-3);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.layers.front().feed_forward.dropout = 0; }), 1e-3);
  if (task_ == Task::kAudioClassification) return;
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.head.dropout = 0; }), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Tiny, AudioTraining,
                         testing::Combine(testing::Values(LearntSounds{"wav2vec2", Task::kSpeechRecognition},
                                                          LearntSounds{"wav2vec2", Task::kAudioClassification},
                                                          LearntSounds{"wav2vec2-stable", Task::kSpeechRecognition},
                                                          LearntSounds{"wav2vec2-weighted", Task::kAudioClassification},
                                                          LearntSounds{"hubert", Task::kSpeechRecognition}),
                                          testing::Values(LearningWay{}, LearningWay{true, false},
                                                          LearningWay{false, true}, LearningWay{true, true})),
                         [](const auto& one) {
                           const LearningWay way = std::get<LearningWay>(one.param);
                           const LearntSounds learnt = std::get<LearntSounds>(one.param);
                           std::string name = std::string(learnt.folder) +
                                              (learnt.task == Task::kSpeechRecognition ? "_ctc" : "_classes") +
                                              (way.is_fused ? "_fused" : "_plain") +
                                              (way.checkpoints_layers ? "_checkpointed" : "");
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace transformeter
