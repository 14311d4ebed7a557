// Which steps end a training, and what a step computes.
#include "measure/step_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "support/source_tree.h"
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

class TargetSteps : public testing::Test {
 protected:
  Training load(const std::string& pairs) const {
    Case request;
    request.model = "t5-test";
    request.task = Task::kSeq2SeqLm;
    request.scenario = Scenario::kTrain;
    request.data = folder_.write("pairs.csv", pairs).string();
    request.batch_size = 2;
    request.precision = "fp32";
    request.attention = "eager";
    request.device = "cpu";
    request.batching = "padded";
    request.optimizer = "adamw";
    request.learning_rate = 1e-3;
    request.loader_threads = 0;
    return load_training(request, context_, parts_,
                         [this](const Training& training) { return read_rows(training, context_); });
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
};

TEST_F(TargetSteps, TargetsBeginWithTheTokenOfConfig) {
  Training training = load("text,target\na,b\nc,d\n");
  training.config.generation.start = 9;
  EXPECT_EQ(micro_batch_options(training).start_token, 0);
}

}  // namespace
}  // namespace transformeter
