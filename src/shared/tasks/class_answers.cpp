// Softmax and the largest number; names matched with the data's.
#include "tasks/class_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/data_of_task.h"
#include "datasets/media_data.h"
#include "tasks/accuracy.h"
#include "tasks/class_predictions.h"
#include "tasks/score_files.h"
#include "tasks/softmax.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

// As the text classification pipeline of Transformers: a single score has no others to share a sum of 1 with.
ScoreFunction usual_function(std::size_t classes) {
  return classes == 1 ? ScoreFunction::kSigmoid : ScoreFunction::kSoftmax;
}

double score_of(std::span<const float> logits, std::size_t index, ScoreFunction function) {
  const double logit = logits[index];
  switch (function) {
    case ScoreFunction::kIdentity:
      return logit;
    case ScoreFunction::kSigmoid:
      return 1 / (1 + std::exp(-logit));
    case ScoreFunction::kTanh:
      return std::tanh(logit);
    case ScoreFunction::kSoftmax:
      return softmax(logits)[index];
  }
  return logit;
}

// The data's name of a predicted class; the data name their classes.
std::string class_name(const ClassPrediction& predicted, const PredictionInputs& inputs) {
  const std::vector<std::string>& names = inputs.label_names;
  std::string name = predicted.label;
  if (name.empty() || name.starts_with("LABEL_")) {  // what Transformers writes for a class without a name
    if (!inputs.has_ordered_labels) {
      throw Error(ErrorKind::kBadInput,
                  "the model does not name its classes, so they cannot be matched with the data; list them in the "
                  "model's order with --labels FILE");
    }
    const auto index = static_cast<std::size_t>(predicted.label_id);
    name = index < names.size() ? names[index] : fmt::format("class {}", index);
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("the model's label '{}' is not one of the data's classes ({})", excerpt(name),
                            excerpt(fmt::format("{}", fmt::join(names, ", ")), 300)));
  }
  return name;
}

// What `score` takes for a class of the data: its name, or its number where numbers mean the same to data and model.
std::string class_line(const ClassPrediction& predicted, const PredictionInputs& inputs) {
  if (inputs.label_names.empty()) return fmt::format("{}\n", predicted.label_id);
  return class_name(predicted, inputs) + "\n";
}

// Of the data's classes.
int class_number(const ClassPrediction& predicted, const PredictionInputs& inputs) {
  const std::vector<std::string>& names = inputs.label_names;
  if (names.empty()) {
    if (predicted.label_id < inputs.label_count) return static_cast<int>(predicted.label_id);
    throw Error(ErrorKind::kBadInput, fmt::format("the model's class {} is none of the data's, 0 to {}",
                                                  predicted.label_id, inputs.label_count - 1));
  }
  return static_cast<int>(std::find(names.begin(), names.end(), class_name(predicted, inputs)) - names.begin());
}

class ClassScorer final : public AnswerScorer {
 public:
  ClassScorer(Task task, const PredictionInputs& inputs) : task_(task), inputs_(inputs) {}
  void add(std::size_t /*index*/, const Prediction& prediction) override {
    const auto& answer = answer_of<ClassPrediction>(prediction);
    try {
      predicted_.push_back(class_number(answer, inputs_));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      has_other_classes_ = true;  // whoever asks for answers alone need not match them
    }
  }
  std::optional<ScoreReport> report(const StopCheck& check) const override {
    if (predicted_.empty() || has_other_classes_) return std::nullopt;
    const std::vector<int> labels(inputs_.labels.begin(),
                                  inputs_.labels.begin() + static_cast<std::ptrdiff_t>(predicted_.size()));
    ScoreReport report = score_classification(predicted_, labels, check);
    report.task = task_;
    return report;
  }

 private:
  Task task_;
  const PredictionInputs& inputs_;
  std::vector<int> predicted_;
  bool has_other_classes_ = false;
};

class ClassFile final : public PredictionFile {
 public:
  using PredictionFile::PredictionFile;
  void add(std::size_t /*index*/, const Prediction& prediction) override {
    sink_(class_line(answer_of<ClassPrediction>(prediction), inputs_));
  }
};

}  // namespace

ClassPrediction class_of(std::span<const float> logits, const std::vector<std::string>& labels,
                         std::optional<ScoreFunction> function) {
  ClassPrediction prediction;
  prediction.logits.assign(logits.begin(), logits.end());
  const auto best = std::max_element(logits.begin(), logits.end());
  prediction.label_id = best - logits.begin();
  const auto index = static_cast<std::size_t>(prediction.label_id);
  if (index < labels.size()) prediction.label = labels[index];
  prediction.score = score_of(logits, index, function.value_or(usual_function(logits.size())));
  return prediction;
}

Prediction class_of_output(std::span<const float> logits, const std::vector<std::string>& labels,
                           std::optional<ScoreFunction> function) {
  return {class_of(logits, labels, function), false};
}

std::unique_ptr<PredictionFile> make_class_file(Task task, const PredictionInputs& inputs, Sink sink) {
  if (inputs.label_count == 0) raise_other_data(task, "labels");
  return std::make_unique<ClassFile>(inputs, std::move(sink));
}

std::unique_ptr<AnswerScorer> make_class_scorer(Task task, const PredictionInputs& inputs) {
  if (inputs.labels.size() != inputs.inputs.size()) return nullptr;
  return std::make_unique<ClassScorer>(task, inputs);
}

ScoreReport score_classes(const ScoreInputs& inputs, const DataSet& data) {
  inputs.data_sha256 = data.sha256;
  if (data.label_count == 0) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: the examples have no labels; {}", inputs.request.data, needed_class(data.task).hint));
  }
  std::vector<int> labels;
  for (const Example& example : data.examples) labels.push_back(example.label.value());
  const ClassPredictionOptions options{inputs.request.prediction_column, inputs.request.options};
  return score_classification(
      read_predicted_classes(inputs.predictions.where(), inputs.predictions.text(), data, options), labels,
      inputs.check);
}

ScoreReport score_file_classes(Task task, const ScoreInputs& inputs) {
  DataSet data = load_data_of_task(inputs.request.data, task, inputs.request.options);
  data.sha256 = sha256_of_media(data);
  ScoreReport report = score_classes(inputs, data);
  report.task = task;
  return report;
}

}  // namespace transformeter
