// One function for each form of data.
#include "session/fine_tuning_data.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "datasets/label_match.h"
#include "tasks/entity_rows.h"
#include "tasks/hold_out.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

// The readers of a task's own form of file know none.
bool has_splits(Task task) {
  return task_type(task).has_own_form == nullptr;
}

// The readers of questions and of tagged sentences know neither options nor other forms.
void check_own_form(const WorkerCase& request, const std::string& path) {
  check_form(load_dataset(path, request.data_options), path, request.task);
}

// What a model has learnt by heart says nothing about the model.
void check_evaluation_data(const WorkerCase& request, const std::string& path, const FineTuneOptions& options) {
  const std::string& file = options.evaluation_data;
  if (file.empty()) return;
  if (!options.evaluation_split.empty() && !has_splits(request.task)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: files for {} have no splits", file, name_of(request.task)));
  }
  std::error_code none;
  if (!std::filesystem::equivalent(path, file, none)) return;
  if (has_splits(request.task) && options.evaluation_split != request.data_options.split) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("{}: training and evaluation use the same data{}; set another file or --evaluation-split, or hold "
                  "out a part with --evaluation-share",
                  file, options.evaluation_split.empty() ? "" : fmt::format(" (split {})", options.evaluation_split)));
}

std::string scored_file(const std::string& learnt, const FineTuneOptions& options) {
  return options.evaluation_data.empty() ? learnt : options.evaluation_data;
}

DataOptions evaluation_columns(const Training& training, const FineTuneOptions& options) {
  DataOptions columns = training.request.data_options;
  columns.split = options.evaluation_split;
  return columns;
}

// A data set of the classes that are learnt, numbered as they are: by the model's own names where the data has none.
DataSet scored_classes(DataSet data, const LabelledRows& rows, const Training& training, const std::string& where) {
  ModelConfig classes;
  classes.num_labels = rows.class_count;
  classes.labels = rows.class_names;
  if (classes.labels.empty() && training.is_trained && training.config.num_labels == rows.class_count) {
    classes.labels = training.config.labels;
  }
  match_labels(data, classes, where);
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    if (!data.examples[i].label) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: example {} has no label, which evaluation needs", where, i + 1));
    }
  }
  return data;
}

template <typename Set>
struct Divided {
  Set learnt;
  std::optional<Set> kept;  // nothing where no share is kept back
};

template <typename Set>
Divided<Set> divided(Set all, const std::string& path, const FineTuneOptions& options, std::uint64_t seed) {
  if (!(options.evaluation_share > 0)) return {std::move(all), std::nullopt};
  HeldOut<Set> parts = hold_out(std::move(all), options.evaluation_share, seed, path);
  return {std::move(parts.learnt), std::move(parts.kept)};
}

FineTuningData classes(const Training& training, const std::string& path, const FineTuneOptions& options,
                       const TrainingRowsOptions& rows_options) {
  FineTuningData result;
  auto [learnt, kept] = divided(load_classes(path, training.request.data_options, rows_options.trained), path, options,
                                rows_options.seed);
  result.rows = classification_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  const std::string& file = options.evaluation_data;
  if (!file.empty()) {
    kept = scored_classes(load_dataset(file, evaluation_columns(training, options)), result.rows, training, file);
  }
  if (kept) result.validation = make_class_validation(training, *kept, scored_file(path, options));
  return result;
}

FineTuningData answers(const Training& training, const std::string& path, const FineTuneOptions& options,
                       const TrainingRowsOptions& rows_options) {
  FineTuningData result;
  auto [learnt, kept] = divided(load_questions(path), path, options, rows_options.seed);
  result.rows = answer_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  if (!options.evaluation_data.empty()) kept = load_questions(options.evaluation_data);
  if (!kept) return result;
  result.validation =
      make_answer_validation(training, std::move(*kept), rows_options.stride, scored_file(path, options));
  return result;
}

FineTuningData entities(const Training& training, const std::string& path, const FineTuneOptions& options,
                        TrainingRowsOptions rows_options) {
  FineTuningData result;
  TaggedSentenceSet all = load_tagged_sentences(path);
  rows_options.classes = entity_classes(all, learnt_labels(rows_options));  // those of what is kept back too
  auto [learnt, kept] = divided(std::move(all), path, options, rows_options.seed);
  result.rows = entity_rows(std::move(learnt), path, *training.tokenizer, rows_options);
  if (const std::string& file = options.evaluation_data; !file.empty()) {
    kept = load_tagged_sentences(file);
    check_tags(*kept, result.rows.class_names, file);
  }
  if (!kept) return result;
  result.validation = make_entity_validation(training, *kept, result.rows.class_names, scored_file(path, options));
  return result;
}

FineTuningData tokens(const Training& training, const std::string& path, const FineTuneOptions& options,
                      const TrainingRowsOptions& rows_options) {
  if (options.evaluation_share > 0) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format(
            "task {} has no single examples to hold out for evaluation_share; set --evaluation-data to another text",
            name_of(training.request.task)));
  }
  const Tokenizer& tokenizer = *training.tokenizer;
  FineTuningData result{read_training_rows(path, training.request.data_options, tokenizer, rows_options), nullptr};
  if (options.evaluation_data.empty()) return result;
  TrainingRowsOptions all = rows_options;
  all.limit.reset();  // of what is learnt from
  result.validation = make_token_validation(
      read_training_rows(options.evaluation_data, evaluation_columns(training, options), tokenizer, all));
  return result;
}

}  // namespace

FineTuningData read_fine_tuning_data(const Training& training, const Context& context, const FineTuneOptions& options) {
  const std::string path = data_path(training.request, context);
  check_evaluation_data(training.request, path, options);
  if (!has_splits(training.request.task)) check_own_form(training.request, path);
  const TrainingRowsOptions rows_options = training_rows_options(training);
  switch (training.request.task) {
    case Task::kSequenceClassification:
      return classes(training, path, options, rows_options);
    case Task::kQuestionAnswering:
      return answers(training, path, options, rows_options);
    case Task::kTokenClassification:
      return entities(training, path, options, rows_options);
    default:
      return tokens(training, path, options, rows_options);
  }
}

}  // namespace transformeter
