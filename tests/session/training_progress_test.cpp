// What a checkpoint says of a fine-tuning comes back as it was.
#include "session/training_progress.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(TrainingProgressTest, ComesBackAsItWas) {
  TrainingProgress progress;
  progress.micro_batches = 17;
  progress.best = 0.1 + 0.2;
  progress.best_step = 4;
  progress.worse = 2;
  progress.is_over = true;
  progress.last_evaluation = {{"headline", "accuracy"}, {"loss", 0.3}};
  progress.last_loss = 1.0 / 3;
  progress.loss_scale.emplace(0.25, 12);
  const TrainingProgress read = training_progress_from_json(Json::parse(to_json(progress).dump()));
  EXPECT_EQ(read.micro_batches, 17);
  EXPECT_EQ(read.best, 0.1 + 0.2);
  EXPECT_EQ(read.best_step, 4);
  EXPECT_EQ(read.worse, 2);
  EXPECT_TRUE(read.is_over);
  EXPECT_EQ(read.last_evaluation, progress.last_evaluation);
  EXPECT_EQ(read.last_loss, 1.0 / 3);
  ASSERT_TRUE(read.loss_scale.has_value());
  EXPECT_EQ(read.loss_scale->value(), 0.25);
  EXPECT_EQ(read.loss_scale->good_steps(), 12);
}

TEST(TrainingProgressTest, WhatIsNotThereStaysAway) {
  const TrainingProgress read = training_progress_from_json(Json::parse(to_json(TrainingProgress()).dump()));
  EXPECT_FALSE(read.best.has_value());
  EXPECT_FALSE(read.loss_scale.has_value());
  EXPECT_TRUE(read.last_evaluation.is_null());
}

TEST(TrainingProgressTest, WithoutOneOfItsKeysItIsNone) {
  const Json whole = to_json(TrainingProgress());
  for (const auto& entry : whole.items()) {
    Json partial = whole;
    partial.erase(entry.key());
    EXPECT_THROW(training_progress_from_json(partial), Json::exception) << entry.key();
  }
}

}  // namespace
}  // namespace transformeter
