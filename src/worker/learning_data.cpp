// One function for each form of data.
#include "worker/learning_data.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "data/hold_out.h"
#include "data/label_match.h"
#include "data/training_tasks.h"

namespace transformeter {
namespace {

// A data set of classes that belongs to `names`, numbered as they are.
DataSet scored_classes(DataSet data, const LabelledRows& rows, const std::string& where) {
  ModelConfig classes;
  classes.num_labels = rows.class_count;
  classes.labels = rows.class_names;
  match_labels(data, classes, where);
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    if (!data.examples[i].label) {
      throw Error(ErrorKind::kBadInput, fmt::format("{}: example {} has no label to be scored by", where, i + 1));
    }
  }
  return data;
}

LearningData classes(const Training& training, const std::string& path, const FineTuneOptions& options,
                     const TrainingRowsOptions& rows_options) {
  LearningData result;
  const DataOptions& columns = training.request.data_options;
  DataSet learnt = load_matched_classes(path, training);
  std::optional<DataSet> kept;
  if (options.evaluation_share > 0) {
    HeldOut<DataSet> divided = hold_out(std::move(learnt), options.evaluation_share, rows_options.seed, path);
    learnt = std::move(divided.learnt);
    kept = std::move(divided.kept);
  }
  result.rows = classification_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  const std::string& file = options.evaluation_data;
  if (!file.empty()) kept = scored_classes(load_dataset(file, columns), result.rows, file);
  if (kept) result.examination = examine_classes(std::move(*kept));
  return result;
}

LearningData answers(const Training& training, const std::string& path, const FineTuneOptions& options,
                     const TrainingRowsOptions& rows_options) {
  LearningData result;
  QuestionSet learnt = load_questions(path);
  std::optional<QuestionSet> kept;
  if (options.evaluation_share > 0) {
    HeldOut<QuestionSet> divided = hold_out(std::move(learnt), options.evaluation_share, rows_options.seed, path);
    learnt = std::move(divided.learnt);
    kept = std::move(divided.kept);
  }
  result.rows = answer_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  if (!options.evaluation_data.empty()) kept = load_questions(options.evaluation_data);
  if (kept) result.examination = examine_answers(std::move(*kept), rows_options.stride);
  return result;
}

LearningData entities(const Training& training, const std::string& path, const FineTuneOptions& options,
                      const TrainingRowsOptions& rows_options) {
  LearningData result;
  TaggedSentenceSet learnt = load_tagged_sentences(path);
  std::optional<TaggedSentenceSet> kept;
  if (options.evaluation_share > 0) {
    HeldOut<TaggedSentenceSet> divided = hold_out(std::move(learnt), options.evaluation_share, rows_options.seed, path);
    learnt = std::move(divided.learnt);
    kept = std::move(divided.kept);
  }
  result.rows = entity_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  if (!options.evaluation_data.empty()) kept = load_tagged_sentences(options.evaluation_data);
  if (kept) result.examination = examine_entities(std::move(*kept));
  return result;
}

LearningData tokens(const Training& training, const std::string& path, const FineTuneOptions& options,
                    const TrainingRowsOptions& rows_options) {
  if (options.evaluation_share > 0) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("evaluation_share keeps examples back, of which task {} has none of its own: give other text "
                    "with --evaluation-data",
                    training.request.task));
  }
  const auto read = [&](const std::string& file) {
    return read_training_rows(file, training.request.data_options, *training.tokenizer, rows_options);
  };
  LearningData result{read(path), nullptr};
  if (!options.evaluation_data.empty()) result.examination = examine_tokens(read(options.evaluation_data));
  return result;
}

}  // namespace

LearningData read_learning_data(const Training& training, const Context& context, const FineTuneOptions& options) {
  const TrainingRowsOptions rows_options = training_rows_options(training);
  const std::string path = data_path(training.request, context);
  const std::string& task = training.request.task;
  if (task == "sequence_classification") return classes(training, path, options, rows_options);
  if (task == "question_answering") return answers(training, path, options, rows_options);
  if (task == "token_classification") return entities(training, path, options, rows_options);
  return tokens(training, path, options, rows_options);
}

}  // namespace transformeter
