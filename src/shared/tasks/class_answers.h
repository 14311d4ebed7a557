// The class of a text, an image or a sound: what a model's numbers say, files of them, and their scores.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/prediction.h"
#include "spec/score_function.h"
#include "tasks/task_type.h"

namespace transformeter {

/// The class of the largest of `logits`, at least one. `function` makes its score; nothing: softmax, of a single class
/// the logistic function.
ClassPrediction class_of(std::span<const float> logits, const std::vector<std::string>& labels,
                         std::optional<ScoreFunction> function = std::nullopt);

/// The class of an image or a sound, as TaskType::answer_of_output.
Prediction class_of_output(std::span<const float> logits, const std::vector<std::string>& labels,
                           std::optional<ScoreFunction> function);

/// One class a line. Throws Error(kBadInput) for inputs without classes.
std::unique_ptr<PredictionFile> make_class_file(Task task, const PredictionInputs& inputs, Sink sink);

/// Accuracy and F1 of answers to images or sounds; null for inputs without labels. There is no report where the model
/// names its classes otherwise than the data.
std::unique_ptr<AnswerScorer> make_class_scorer(Task task, const PredictionInputs& inputs);

/// Accuracy and F1. Throws Error(kBadInput) for data without labels.
ScoreReport score_classes(const ScoreInputs& inputs, const DataSet& data);

/// The same of a task on images or sounds, whose data load_data_of_task reads.
ScoreReport score_file_classes(Task task, const ScoreInputs& inputs);

}  // namespace transformeter
