// What a task makes of a data file and of a model's numbers. CONTRIBUTING.md says how one is added.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output.h"
#include "datasets/data_file.h"
#include "schema/task.h"
#include "spec/score_function.h"
#include "tasks/answer_scorer.h"
#include "tasks/fine_tuning_sets.h"
#include "tasks/prediction_file.h"
#include "tasks/prediction_inputs.h"
#include "tasks/prediction_task.h"
#include "tasks/score.h"
#include "tasks/training_rows.h"

namespace transformeter {

struct ScoreRequest;

/// What a model's outputs are held against while it learns.
enum class LossKind {
  kLabels,              // cross entropy of each row's or token's label
  kNextToken,           // of each token's label, which the output before it predicts
  kSpan,                // of two places, each of which counts half
  kSquaredError,        // of a row's numbers, their mean
  kBinaryCrossEntropy,  // of each class by itself, their mean
  kTranscript,          // connectionist temporal classification (CtcSpec): of what is said, in whichever frames
  kPairs,               // of each text's image among those of its batch, and the reverse (PairLoss)
};

/// The files that a score is made of.
struct ScoreInputs {
  const ScoreRequest& request;
  const DataFile& predictions;
  std::string& data_sha256;  // out; stays empty without a data set
  const StopCheck& check;
};

/// The row that is learnt from in an epoch, made of an example's random tokens.
using RowLabeller = std::function<TrainingRow(Encoding encoding, std::size_t example, std::int64_t epoch)>;

struct TaskType {
  Task task{};

  // Answers of `predict`, and files of them.
  /// From a model's output for one image or sound. Null for tasks that read texts, for speech recognition, whose answer
  /// needs a vocabulary, and for pairs of images and texts, which are not asked. `labels`: the model's classes;
  /// `function` makes the score of one, as class_of has it.
  Prediction (*answer_of_output)(std::span<const float> numbers, const std::vector<std::string>& labels,
                                 std::optional<ScoreFunction> function) = nullptr;
  /// Null: the answer is a text, which is generated (tasks/prompts.h), or that of an image or a sound.
  /// `options.max_length` is set and fits the model.
  std::unique_ptr<PredictionTask> (*make_prediction)(const PredictionModel& model,
                                                     const PredictionOptions& options) = nullptr;
  /// Whether a text is a data file of the task's own form, and its inputs; both null: texts of a table are asked.
  bool (*has_own_form)(std::string_view text) = nullptr;
  PredictionInputs (*read_inputs)(const std::string& where, std::string_view text) = nullptr;
  /// Null: there is no such file. Throws Error(kBadInput) for inputs that are not of the task's kind of data file.
  std::unique_ptr<PredictionFile> (*make_file)(const PredictionInputs& inputs, Sink sink) = nullptr;
  /// Null, and null for inputs that do not say what is right: `predict` shows no score. Borrows the inputs.
  std::unique_ptr<AnswerScorer> (*make_scorer)(const PredictionInputs& inputs) = nullptr;

  // Scores.
  ScoreReport (*score)(const ScoreInputs& inputs) = nullptr;  // null: nothing is scored
  bool scores_columns = false;                                // columns, splits and lists of classes may be chosen
  bool scores_without_data = false;

  // Training.
  std::optional<LossKind> loss;  // nothing: cannot be trained, and what is below is null
  /// Errors as read_training_rows. Null for tasks on images and sounds; see tasks/image_rows.h, tasks/sound_rows.h.
  LabelledRows (*read_rows)(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                            const TrainingRowsOptions& options) = nullptr;
  /// `classes` is at least 1 where the head has classes. Null for tasks on images and sounds.
  RowLabeller (*random_labels)(std::int64_t classes, const Tokenizer& tokenizer,
                               const TrainingRowsOptions& options) = nullptr;
  LabelKind label_kind{};
  /// What `finetune` learns from and is scored by. Throws Error(kBadInput) for a class or tag that is not among those
  /// learnt, an example without label, a file of another form, and a share that cannot be held back.
  FineTuningSets (*divide)(const FineTuningSource& source) = nullptr;
};

/// The vector of an image or a sound, as TaskType::answer_of_output.
Prediction vector_of_output(std::span<const float> numbers, const std::vector<std::string>& labels,
                            std::optional<ScoreFunction> function);

// One file each.
TaskType sequence_classification_type();
TaskType multi_label_classification_type();
TaskType regression_type();
TaskType token_classification_type();
TaskType question_answering_type();
TaskType masked_lm_type();
TaskType causal_lm_type();
TaskType embedding_type();
TaskType image_classification_type();
TaskType image_embedding_type();
TaskType zero_shot_image_classification_type();
TaskType seq2seq_lm_type();
TaskType speech_recognition_type();
TaskType audio_classification_type();
TaskType audio_embedding_type();
TaskType contrastive_image_text_type();

/// In the order of schema/task.h.
inline constexpr std::array kTaskTypes{sequence_classification_type,
                                       multi_label_classification_type,
                                       regression_type,
                                       token_classification_type,
                                       question_answering_type,
                                       masked_lm_type,
                                       causal_lm_type,
                                       embedding_type,
                                       image_classification_type,
                                       image_embedding_type,
                                       zero_shot_image_classification_type,
                                       seq2seq_lm_type,
                                       speech_recognition_type,
                                       audio_classification_type,
                                       audio_embedding_type,
                                       contrastive_image_text_type};
static_assert(kTaskTypes.size() == kTaskNames.size());

const TaskType& task_type(Task task);

/// Throws Error(kUnsupported) for a task that cannot be trained.
LossKind loss_of(Task task);

/// Those of which `has` is true, in the order of schema/task.h.
std::vector<std::string> names_of_tasks(const std::function<bool(const TaskType&)>& has);

}  // namespace transformeter
