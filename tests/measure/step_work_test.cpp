// Which steps end a training, and what a step computes.
#include "measure/step_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

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

}  // namespace
}  // namespace transformeter
