// One way of writing for each kind of data file.
#include "datasets/prediction_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

template <typename T>
const T& expect(const Prediction& prediction) {
  if (const T* value = std::get_if<T>(&prediction.value)) return *value;
  throw Error(ErrorKind::kProtocol, "the worker answered a different task than requested");
}

// What `score` takes for a class of the data: its name, or its number where numbers mean the same to data and model.
std::string class_line(const ClassPrediction& predicted, const PredictionInputs& inputs) {
  const std::vector<std::string>& names = inputs.label_names;
  if (names.empty()) return fmt::format("{}\n", predicted.label_id);
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
  return name + "\n";
}

std::string tag_lines(const EntityPrediction& predicted, const TaggedSentence& sentence) {
  if (predicted.tags.size() != sentence.size()) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("the worker returned {} tags for {} words", predicted.tags.size(), sentence.size()));
  }
  std::string text;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (!is_entity_tag(predicted.tags[i])) {
      throw bad_value("the model's label", excerpt(predicted.tags[i]),
                      "O, or B- or I- followed by a type, e.g. B-person",
                      "Name the classes like this under id2label in its config.json.");
    }
    text += fmt::format("{}\t{}\n", sentence[i].text, predicted.tags[i]);
  }
  return text + "\n";
}

[[noreturn]] void raise_other_data(const std::string& task, const char* wanted) {
  throw Error(ErrorKind::kBadInput, fmt::format("a prediction file for {} needs --data with {}", task, wanted));
}

}  // namespace

PredictionFile::PredictionFile(const std::string& task, const PredictionInputs& inputs, Sink sink)
    : inputs_(inputs), sink_(std::move(sink)) {
  if (task == "question_answering") {
    if (inputs.ids.empty()) raise_other_data(task, "the ids of SQuAD");
    is_answers_ = true;
  } else if (task == "token_classification") {
    if (inputs.sentences.empty()) raise_other_data(task, "the words of a CoNLL file");
  } else if (task == "sequence_classification") {
    if (!inputs.is_classification) raise_other_data(task, "labels");
  } else {
    throw refused_value("format", "predictions",
                        "it exists only for sequence_classification, token_classification and question_answering");
  }
}

void PredictionFile::add(std::size_t index, const Prediction& prediction) {
  if (!is_answers_) {
    sink_(inputs_.sentences.empty() ? class_line(expect<ClassPrediction>(prediction), inputs_)
                                    : tag_lines(expect<EntityPrediction>(prediction), inputs_.sentences.at(index)));
    return;
  }
  const Json id = inputs_.ids.at(index);
  const Json answer = expect<AnswerPrediction>(prediction).answer;
  sink_(fmt::format("{}{}: {}", std::exchange(is_first_, false) ? "{\n" : ",\n", id.dump(), answer.dump()));
}

void PredictionFile::finish() {
  if (is_answers_) sink_("\n}\n");
}

}  // namespace transformeter
