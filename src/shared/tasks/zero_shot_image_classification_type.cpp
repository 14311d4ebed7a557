// Zero-shot image classification: a class for an image, of those that the user names.
#include <utility>

#include "tasks/class_answers.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  return make_class_file(Task::kZeroShotImageClassification, inputs, std::move(sink));
}

ScoreReport score(const ScoreInputs& inputs) {
  return score_file_classes(Task::kZeroShotImageClassification, inputs);
}

}  // namespace

TaskType zero_shot_image_classification_type() {
  TaskType type;
  type.task = Task::kZeroShotImageClassification;
  type.answer_of_output = class_of_output;
  type.make_file = make_file;
  type.score = score;
  type.scores_columns = true;
  return type;
}

}  // namespace transformeter
