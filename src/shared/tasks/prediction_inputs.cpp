// Two kinds of files hold more than texts; the rest is a DataSet.
#include "tasks/prediction_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "datasets/data_file.h"
#include "datasets/data_of_task.h"
#include "datasets/media_data.h"
#include "tasks/task_type.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

// Words with one blank between.
PredictionInput input_from(const TaggedSentence& sentence) {
  PredictionInput input;
  std::int64_t place = 0;
  for (const TaggedToken& token : sentence) {
    if (!input.text.empty()) {
      input.text += ' ';
      ++place;
    }
    input.text += token.text;
    const std::int64_t end = place + static_cast<std::int64_t>(count_characters(token.text));
    input.words.push_back({place, end});
    place = end;
  }
  return input;
}

PredictionInputs from_examples(DataSet data, const DataOptions& options) {
  PredictionInputs result;
  result.has_ordered_labels = !options.labels.empty();
  for (Example& example : data.examples) {
    result.inputs.push_back({std::move(example.text), std::move(example.text_pair), {}});
    if (example.transcript) result.transcripts.push_back(*std::move(example.transcript));
  }
  result.label_count = data.label_count;
  result.label_names = std::move(data.label_names);
  return result;
}

std::vector<std::string> ids_of(const DataSet& data) {
  const auto has_id = [](const Example& example) { return example.id.has_value(); };
  if (std::none_of(data.examples.begin(), data.examples.end(), has_id)) return {};
  std::vector<std::string> ids;
  for (const Example& example : data.examples) ids.push_back(example.id.value_or(""));
  return ids;
}

// Of images or sounds.
PredictionInputs file_inputs(const std::filesystem::path& path, Task task, const DataOptions& options) {
  DataSet data = load_data_of_task(path, task, options);
  if (data.examples.front().image != nullptr || data.examples.front().file != nullptr) {
    const MediaFiles& kind = reads_images(task) ? kImageFiles : kSoundFiles;
    throw Error(ErrorKind::kBadInput, fmt::format("{}: its {} are not files of their own, and predict needs {} files",
                                                  path.string(), kind.many, kind.one));
  }
  const std::string name = data.name, sha256 = sha256_of_media(data);
  std::vector<std::string> ids = ids_of(data);
  std::vector<int> labels;
  for (const Example& example : data.examples) {
    if (example.label) labels.push_back(*example.label);
  }
  PredictionInputs result = from_examples(std::move(data), options);
  result.name = name;
  result.sha256 = sha256;
  result.ids = std::move(ids);
  result.labels = std::move(labels);
  return result;
}

}  // namespace

PredictionInputs prediction_inputs(QuestionSet set) {
  PredictionInputs result;
  result.has_unanswerable = set.has_unanswerable;
  for (Question& question : set.questions) {
    result.inputs.push_back({std::move(question.text), set.contexts[question.context], {}});
    result.ids.push_back(std::move(question.id));
  }
  return result;
}

PredictionInputs prediction_inputs(TaggedSentenceSet set) {
  PredictionInputs result;
  for (const TaggedSentence& sentence : set.sentences) result.inputs.push_back(input_from(sentence));
  result.sentences = std::move(set.sentences);
  return result;
}

PredictionInputs load_prediction_inputs(const std::filesystem::path& path, Task task, const DataOptions& options) {
  if (modality_of(task) != Modality::kText) return file_inputs(path, task, options);
  DataOptions read_as = options;
  read_as.has_label_lists = has_label_lists(task);
  read_as.has_target_texts = has_target_texts(task);
  const DataFile file(path, read_as.selection());
  const TaskType& type = task_type(task);
  DataOptions own = options;
  if (file.has_splits()) own.split.clear();
  const bool has_own_form = type.has_own_form != nullptr && type.has_own_form(file.text()) && !own.any();
  PredictionInputs result =
      has_own_form ? type.read_inputs(file.where(), file.text()) : from_examples(load_dataset(path, read_as), options);
  result.name = file.name();
  result.sha256 = file.sha256();
  return result;
}

}  // namespace transformeter
