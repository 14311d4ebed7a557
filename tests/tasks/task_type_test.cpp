// The table of tasks is in the order of their names, and whole.
#include "tasks/task_type.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(TaskTypes, EachStandsInItsPlace) {
  for (const TaskName& known : kTaskNames) {
    EXPECT_EQ(task_type(known.task).task, known.task) << known.name;
    const TaskType& type = task_type(known.task);
    const bool reads_texts = known.modality == Modality::kText;
    const bool is_spelled = known.head == HeadKind::kFrameTokens;  // by tokenizers/ctc_vocabulary.h
    const bool is_asked = !has_captions(known.task);               // what it learns answers other tasks
    EXPECT_EQ(type.answer_of_output != nullptr, !reads_texts && !is_spelled && is_asked) << known.name;
    const bool answers_otherwise = generates_text(known.task) || !reads_texts;
    EXPECT_EQ(type.make_prediction == nullptr, answers_otherwise) << known.name;
  }
}

TEST(TaskTypes, WhatCanBeTrainedHasAllThatTrainingAsksFor) {
  for (const TaskName& known : kTaskNames) {
    const TaskType& type = task_type(known.task);
    const bool is_trained = type.loss.has_value();
    const bool learns_texts = is_trained && known.modality == Modality::kText;  // of others: tasks/{image,sound}_rows.h
    EXPECT_EQ(type.read_rows != nullptr, learns_texts) << known.name;
    EXPECT_EQ(type.random_labels != nullptr, learns_texts) << known.name;
    EXPECT_EQ(type.divide != nullptr, is_trained) << known.name;
  }
}

}  // namespace
}  // namespace transformeter
