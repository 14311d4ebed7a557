// Sequence classification: a class for a text, or a pair of texts.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/class_answers.h"
#include "tasks/class_predictions.h"
#include "tasks/class_scorer.h"
#include "tasks/score_files.h"
#include "tasks/softmax.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return make_whole_text_task(model, options,
                              [labels = model.labels, function = model.score_function](std::span<const float> logits) {
                                return Prediction{class_of(logits, labels, function), false};
                              });
}

ScoreReport score(const ScoreInputs& inputs) {
  const DataSet data = load_dataset(inputs.request.data, inputs.request.options);
  return with_note_of_blanks(score_classes(inputs, data), data);
}

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  return make_class_file(Task::kSequenceClassification, inputs, std::move(sink));
}

void check_class(const Example& example, std::size_t index, const DataSet& data, const std::string& where) {
  if (*example.label >= 0 && *example.label < data.label_count) return;
  const std::string place =
      fmt::format("{}: example {}{}", where, index + 1, example.id ? fmt::format(" ('{}')", *example.id) : "");
  throw bad_value(place + ": label", std::to_string(*example.label),
                  fmt::format("a number from 0 to {}, for {} classes", data.label_count - 1, data.label_count));
}

DataSet load_classes(const std::string& path, const DataOptions& options, const ModelConfig* trained) {
  DataSet data = load_dataset(path, options);
  check_form(data, path, Task::kSequenceClassification);
  return trained == nullptr ? data : with_classes_of(std::move(data), *trained, path);
}

LabelledRows read_rows(const std::string& path, const DataOptions& options, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& rows_options) {
  return classification_rows(load_classes(path, options, rows_options.trained), path, tokenizer, rows_options);
}

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_classes(source.path, source.data, source.rows.trained), source);
  sets.rows = classification_rows(std::move(learnt), source.path, *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = with_learnt_classes(load_dataset(file, source.scored_data()), sets.rows, source.rows.trained, file);
  }
  if (kept) sets.scored_inputs = class_scorer(*kept, source.scored_file());
  return sets;
}

RowLabeller random_labels(std::int64_t classes, const Tokenizer& /*tokenizer*/, const TrainingRowsOptions& options) {
  return [classes, seed = options.seed](Encoding encoding, std::size_t example, std::int64_t /*epoch*/) {
    RandomStream random = label_stream(seed, example);
    return TrainingRow{std::move(encoding),
                       {static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes)))}};
  };
}

}  // namespace

LabelledRows classification_rows(DataSet data, const std::string& where, const Tokenizer& tokenizer,
                                 const TrainingRowsOptions& options) {
  check_labelled(data, where, "training");
  for (std::size_t i = 0; i < data.examples.size(); ++i) check_class(data.examples[i], i, data, where);
  return whole_text_rows(std::move(data), tokenizer, options, LabelKind::kRow,
                         [](const Example& example, TrainingRow& row) { row.labels = {*example.label}; });
}

TaskType sequence_classification_type() {
  TaskType type;
  type.task = Task::kSequenceClassification;
  type.make_prediction = make_prediction;
  type.make_file = make_file;
  type.score = score;
  type.scores_columns = true;
  type.loss = LossKind::kLabels;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kRow;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
