// Image classification: a class for an image.
#include <utility>

#include "datasets/image_data.h"
#include "tasks/class_answers.h"
#include "tasks/class_scorer.h"
#include "tasks/image_rows.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  return make_class_file(Task::kImageClassification, inputs, std::move(sink));
}

std::unique_ptr<AnswerScorer> make_scorer(const PredictionInputs& inputs) {
  return make_class_scorer(Task::kImageClassification, inputs);
}

ScoreReport score(const ScoreInputs& inputs) {
  return score_file_classes(Task::kImageClassification, inputs);
}

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_image_classes(source.path, source.data, source.rows.trained), source);
  sets.rows = image_class_rows(std::move(learnt), source.path, *source.images, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = with_learnt_classes(load_image_data(file, source.scored_data()), sets.rows, source.rows.trained, file);
  }
  if (!kept) return sets;
  sets.scored_inputs = class_scorer(*kept, source.scored_file());
  sets.scored_files = std::move(kept->examples);
  return sets;
}

}  // namespace

TaskType image_classification_type() {
  TaskType type;
  type.task = Task::kImageClassification;
  type.answer_of_output = class_of_output;
  type.make_file = make_file;
  type.make_scorer = make_scorer;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kLabels;
  type.label_kind = LabelKind::kRow;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
