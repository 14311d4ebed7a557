// Audio classification: a class for a sound.
#include <utility>

#include "tasks/class_answers.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  return make_class_file(Task::kAudioClassification, inputs, std::move(sink));
}

std::unique_ptr<AnswerScorer> make_scorer(const PredictionInputs& inputs) {
  return make_class_scorer(Task::kAudioClassification, inputs);
}

ScoreReport score(const ScoreInputs& inputs) {
  return score_file_classes(Task::kAudioClassification, inputs);
}

}  // namespace

TaskType audio_classification_type() {
  TaskType type;
  type.task = Task::kAudioClassification;
  type.answer_of_output = class_of_output;
  type.make_file = make_file;
  type.make_scorer = make_scorer;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kLabels;
  type.label_kind = LabelKind::kRow;
  return type;
}

}  // namespace transformeter
