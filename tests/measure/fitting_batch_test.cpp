// What is said of memory that is short, in the words of what a task reads.
#include "measure/fitting_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/cycle.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Case training_that_does_not_fit(Task task, const char* data) {
  Case request;
  request.scenario = Scenario::kTrain;
  request.task = task;
  request.data = data;
  request.batch_size = 10;
  request.gradient_accumulation = 2;
  return request;
}

TEST(FittingBatch, OfTextsIsToldWithTheAccumulationThatGivesAsManyRows) {
  const Case request = training_that_does_not_fit(Task::kSequenceClassification, kBundledData);
  TrainingBatch largest;
  largest.inputs.sequence_length = 128;
  // Three batches of 4 hold 10 rows, in each of two micro-batches.
  EXPECT_EQ(fitting_batch_text(largest, request, 4),
            "batch_size 10 does not fit into memory; batch_size 4 does, even with the longest texts; with "
            "gradient_accumulation 6 its steps have 24 rows");
  EXPECT_EQ(no_fitting_batch_text(largest, request),
            "batch_size 10 does not fit into memory, nor does a single row of 128 tokens: a higher memory_limit, a "
            "shorter sequence_length, gradient_checkpointing on or an optimizer with less state (adafactor, sgd) may "
            "help");
  largest.label_kind = LabelKind::kTarget;
  EXPECT_THAT(fitting_batch_text(largest, request, 4), HasSubstr("the longest texts and targets"));
}

TEST(FittingBatch, OfPairsIsToldInImagesAndCaptions) {
  TrainingBatch largest;
  largest.inputs.sequence_length = 50;  // patches
  largest.label_kind = LabelKind::kCaption;
  largest.target_length = 77;
  const Case drawn = training_that_does_not_fit(Task::kContrastiveImageText, kSyntheticData);
  EXPECT_THAT(fitting_batch_text(largest, drawn, 4),
              AllOf(HasSubstr("batch_size 4 does; with"), HasSubstr("each is held against those of its own batch")));
  EXPECT_THAT(no_fitting_batch_text(largest, drawn),
              AllOf(HasSubstr("nor does one of 2, each a pair of an image and a caption of 77 tokens"),
                    HasSubstr("a shorter sequence_length")));
  const Case read = training_that_does_not_fit(Task::kContrastiveImageText, "captions.csv");
  EXPECT_THAT(fitting_batch_text(largest, read, 4), HasSubstr("does, even with the longest captions"));
}

TEST(FittingBatch, OfImagesAndSoundsHasItsOwnSettings) {
  TrainingBatch largest;
  EXPECT_THAT(no_fitting_batch_text(largest, training_that_does_not_fit(Task::kImageClassification, kSyntheticData)),
              AllOf(HasSubstr("nor does a single image: "), Not(HasSubstr("shorter"))));
  largest.inputs.sounds.emplace().samples = 16000;
  EXPECT_THAT(no_fitting_batch_text(largest, training_that_does_not_fit(Task::kAudioClassification, kSyntheticData)),
              AllOf(HasSubstr("a single sound of 16000 samples"), HasSubstr("a shorter audio_seconds")));
  const Case read = training_that_does_not_fit(Task::kAudioClassification, "sounds");
  EXPECT_THAT(fitting_batch_text(largest, read, 4), HasSubstr("the longest sounds"));
  EXPECT_THAT(no_fitting_batch_text(largest, read), Not(HasSubstr("shorter")));
}

}  // namespace
}  // namespace transformeter
