// Which steps end a training, and what a step computes.
#include "measure/step_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "measure/loaded_training.h"
#include "spec/formulas.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StepResult skipped(double loss, double gradient_norm, std::optional<double> loss_scale) {
  StepResult result;
  result.loss = loss;
  result.gradient_norm = gradient_norm;
  result.is_skipped = true;
  result.loss_scale = loss_scale;
  return result;
}

std::string divergence(const StepResult& result) {
  try {
    check_step(result, 7);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDiverged);
    return error.what();
  }
  return "none";
}

TEST(CheckStepTest, AStepWhoseNumbersAreNumbersIsNone) {
  EXPECT_EQ(divergence({}), "none");
}

TEST(CheckStepTest, NumbersThatAreNoneEndATrainingWithoutALossScale) {
  EXPECT_THAT(divergence(skipped(0.5, kInfinity, {})), HasSubstr("step 7: the loss is 0.5, the gradient norm is inf"));
  EXPECT_THAT(divergence(skipped(kInfinity, kInfinity, {})), HasSubstr("the loss is inf"));
}

TEST(CheckStepTest, ALossScaleMayMakeGradientsOverflowUntilItIsBelowOne) {
  EXPECT_EQ(divergence(skipped(0.5, kInfinity, 65536)), "none");
  EXPECT_EQ(divergence(skipped(0.5, kInfinity, 1)), "none");
  EXPECT_THAT(divergence(skipped(0.5, kInfinity, 0.5)),
              AllOf(HasSubstr("step 7: the loss is 0.5"),
                    HasSubstr("gradients are NaN or infinite even at a loss scale of 0.5")));
  EXPECT_THAT(divergence(skipped(kInfinity, kInfinity, 65536)), HasSubstr("the loss is inf"));
}

class TargetSteps : public LoadedTraining {
 protected:
  Training load_pairs(const std::string& pairs) const {
    return load(small_training("t5-test", Task::kSeq2SeqLm, folder_.write("pairs.csv", pairs).string()));
  }

  TemporaryFolder folder_;
};

// Each text and target counts by its own length where work is useful, by the batch's longest where it is done.
TEST_F(TargetSteps, CountTextsAndTargetsByTheirOwnLengths) {
  const Training training = load_pairs("text,target\nthe film was very good and long,a\nbad,a very dull film\n");
  BatchLoader peeked(*training.rows.rows, loader_options(training));
  const TrainingBatch batch = peeked.next();
  const std::vector<std::int64_t> texts = row_lengths(batch.inputs), targets = target_lengths(batch);
  ASSERT_EQ(texts.size(), 2U);
  ASSERT_NE(targets[0], targets[1]);
  ASSERT_EQ(texts[0] > texts[1], targets[0] < targets[1]) << "the longer text has the shorter target";
  ASSERT_NE(batch.inputs.sequence_length, batch.target_length);

  Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(training.request));
  BatchLoader loader(*training.rows.rows, loader_options(training));
  StepWork work(training, loader, trainer);
  work.take();
  const std::optional<StepFlops> flops = work.size().flops;
  ASSERT_TRUE(flops);
  const auto of_a_step = [&](const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& decoded) {
    return 3 * forward_flops(training.config, Task::kSeq2SeqLm, lengths, decoded);
  };
  const std::vector<std::int64_t> all_texts(2, batch.inputs.sequence_length), all_targets(2, batch.target_length);
  EXPECT_DOUBLE_EQ(flops->useful, of_a_step(texts, targets));
  EXPECT_DOUBLE_EQ(flops->processed, of_a_step(all_texts, all_targets));
  EXPECT_DOUBLE_EQ(flops->padded, flops->processed);
  EXPECT_EQ(work.rows().front().lengths, all_texts);
  EXPECT_EQ(work.rows().front().target_lengths, all_targets);
}

TEST_F(TargetSteps, TargetsBeginWithTheTokenOfConfig) {
  Training training = load_pairs("text,target\na,b\nc,d\n");
  training.config.generation.start = 9;
  EXPECT_EQ(micro_batch_options(training).start_token, 0);
}

class SoundSteps : public LoadedTraining {
 protected:
  static Case training_of(Task task) {
    Case request = small_training("wav2vec2-test", task, kSyntheticData);
    request.audio_seconds = 0.2;
    request.limit = 2;
    return request;
  }
};

// 3,200 samples become 9 frames, and 2 tokens are said in them.
TEST_F(SoundSteps, CountFrames) {
  const Training training = load(training_of(Task::kSpeechRecognition));
  Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(training.request));
  BatchLoader loader(*training.rows.rows, loader_options(training));
  StepWork work(training, loader, trainer);
  work.take();
  const StepSize size = work.size();
  EXPECT_EQ(size.work.examples, 2);
  EXPECT_EQ(size.work.useful_tokens, 2 * 9);
  EXPECT_EQ(size.work.processed_tokens, 2 * 9);
  ASSERT_TRUE(size.flops);
  EXPECT_DOUBLE_EQ(size.flops->useful, 3 * forward_flops(training.config, Task::kSpeechRecognition, 2, 9));
  EXPECT_EQ(work.rows().front().lengths, (std::vector<std::int64_t>{9, 9}));
  EXPECT_EQ(work.rows().front().target_lengths, (std::vector<std::int64_t>{2, 2}));
  EXPECT_FALSE(work.rows().front().has_padding);
  EXPECT_EQ(effective_settings(training).at("data").at("samples"), 3200);
}

TEST_F(SoundSteps, LearnRandomSoundsByHeart) {
  for (const Task task : {Task::kSpeechRecognition, Task::kAudioClassification}) {
    SCOPED_TRACE(name_of(task));
    Case request = training_of(task);
    request.has_dropout = false;
    request.learning_rate = 1e-3;
    request.max_gradient_norm = 1;
    const Training training = load(request);
    Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(request));
    BatchLoader loader(*training.rows.rows, loader_options(training));
    StepWork work(training, loader, trainer);
    double first = 0, last = 0;
    for (int step = 0; step < 20; ++step) {
      work.take();
      last = work.step([](StepPhase) {}).loss;
      if (step == 0) first = last;
    }
    EXPECT_LT(last, 0.8 * first);
  }
}

TEST_F(SoundSteps, RefuseTranscriptsWithoutAVocabularyAndSmoothedOnes) {
  Case request = training_of(Task::kSpeechRecognition);
  request.data = (source_directory() / "tests/data/audio").string();
  EXPECT_THROW(load(request), Error) << "a preset has no letters";
  request = training_of(Task::kSpeechRecognition);
  request.label_smoothing = 0.1;
  try {
    load(request);
    FAIL() << "tokens of a transcript stand in no frame of their own";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("label_smoothing"), HasSubstr("a class for each frame")));
  }
}

class PairSteps : public LoadedTraining {
 protected:
  static Case training_of(std::int64_t rows) {
    Case request = small_training("clip-test", Task::kContrastiveImageText, kSyntheticData);
    request.sequence_length = 12;
    request.batch_size = rows;
    request.limit = rows;
    return request;
  }
};

// 16 patches and the token of the class, and 12 tokens of each caption.
TEST_F(PairSteps, CountImagesCaptionsAndTheirProduct) {
  for (const bool is_sparing : {false, true}) {
    Case request = training_of(4);
    request.needed_tokens = is_sparing;
    const Training training = load(request);
    Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(request));
    BatchLoader loader(*training.rows.rows, loader_options(training));
    StepWork work(training, loader, trainer);
    work.take();
    const StepSize size = work.size();
    EXPECT_EQ(size.work.examples, 4);
    EXPECT_EQ(size.work.useful_tokens, 4 * (17 + 12));
    EXPECT_EQ(size.work.processed_tokens, 4 * (17 + 12));
    ASSERT_TRUE(size.flops);
    const std::vector<std::int64_t> images(4, 17), captions(4, 12);
    const double towers = forward_flops(training.config, Task::kImageEmbedding, images) +
                          forward_flops(training.config, Task::kEmbedding, captions);
    EXPECT_DOUBLE_EQ(size.flops->useful, 3 * (towers + 2.0 * 4 * 4 * 48));
    const double unneeded = unneeded_flops(training.config, Task::kImageEmbedding, images) +
                            unneeded_flops(training.config, Task::kEmbedding, captions);
    EXPECT_DOUBLE_EQ(size.flops->processed, size.flops->useful - (is_sparing ? 3 * unneeded : 0));
    EXPECT_DOUBLE_EQ(size.flops->padded, size.flops->useful);
    EXPECT_EQ(work.rows().front().lengths, images);
    EXPECT_EQ(work.rows().front().target_lengths, captions);
    EXPECT_FALSE(work.rows().front().has_padding);
  }
}

// With random vectors a pair's loss is about that of a guess among 8.
TEST_F(PairSteps, LearnRandomPairsByHeart) {
  Case request = training_of(8);
  request.learning_rate = 1e-3;
  request.max_gradient_norm = 1;
  const Training training = load(request);
  EXPECT_NEAR(training.weights.parameters.at("logit_scale").item<double>(), 2.6592, 1e-6) << "as a new CLIPModel";
  Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(request));
  BatchLoader loader(*training.rows.rows, loader_options(training));
  StepWork work(training, loader, trainer);
  double first = 0, last = 0;
  for (int step = 0; step < 30; ++step) {
    work.take();
    last = work.step([](StepPhase) {}).loss;
    if (step == 0) first = last;
  }
  EXPECT_GT(first, 1);
  EXPECT_LT(last, 0.8 * first);
  EXPECT_GT(std::abs(training.weights.parameters.at("logit_scale").item<double>() - 2.6592), 1e-4) << "it learns too";
}

TEST_F(PairSteps, AreNotSmoothed) {
  Case request = training_of(2);
  request.label_smoothing = 0.1;
  try {
    load(request);
    FAIL() << "a caption is no class";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("label_smoothing"), HasSubstr("contrastive_image_text")));
  }
}

// A natural length is that of the longest caption of a batch.
TEST_F(PairSteps, OfATablePadCaptionsToTheLongest) {
  const TemporaryFolder folder;
  const std::string images = (source_directory() / "tests/data/images").string();
  Case request =
      small_training((source_directory() / "tests/data/models/tiny-clip").string(), Task::kContrastiveImageText, "");
  request.data =
      folder
          .write("t.csv", "image,caption\n" + images + "/420.jpg,a cat\n" + images + "/cmyk.jpg,a red dog of the cat\n")
          .string();
  const Training training = load(request);
  Trainer trainer(*training.model, *training.operators, training.weights.weights, trainer_options(request));
  BatchLoader loader(*training.rows.rows, loader_options(training));
  StepWork work(training, loader, trainer);
  work.take();
  const ComputedRows rows = work.rows().front();
  EXPECT_TRUE(rows.has_padding);
  EXPECT_EQ(rows.target_lengths.front(), rows.target_lengths.back());
  EXPECT_LT(work.size().work.useful_tokens, work.size().work.processed_tokens);
  EXPECT_GT(work.step([](StepPhase) {}).loss, 0);
}

}  // namespace
}  // namespace transformeter
