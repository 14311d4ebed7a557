// One function for each task.
#include "data/score_files.h"

#include <fmt/format.h>

#include "base/error.h"
#include "data/accuracy.h"
#include "data/class_predictions.h"
#include "data/data_file.h"
#include "data/entity_score.h"
#include "data/perplexity.h"
#include "data/plain_text.h"
#include "data/predictions.h"
#include "data/squad_score.h"

namespace transformeter {
namespace {

struct Inputs {
  const ScoreRequest& request;
  const DataFile& predictions;
  std::string& data_sha256;
};

ScoreReport score_answers(const Inputs& inputs) {
  const QuestionSet set = load_questions(inputs.request.data);
  inputs.data_sha256 = set.sha256;
  return score_question_answering(set, read_predicted_answers(inputs.predictions.where(), inputs.predictions.text()));
}

ScoreReport score_classes(const Inputs& inputs) {
  const DataSet data = load_dataset(inputs.request.data, inputs.request.options);
  inputs.data_sha256 = data.sha256;
  if (data.label_count == 0) {
    throw Error(ErrorKind::kBadInput, inputs.request.data +
                                          ": the examples have no labels; name their column with "
                                          "--label-column");
  }
  std::vector<int> labels;
  for (const Example& example : data.examples) labels.push_back(example.label.value());
  const ClassPredictionOptions options{inputs.request.prediction_column, inputs.request.options};
  return score_classification(
      read_predicted_classes(inputs.predictions.where(), inputs.predictions.text(), data, options), labels);
}

ScoreReport score_tags(const Inputs& inputs) {
  const TaggedSentenceSet set = load_tagged_sentences(inputs.request.data);
  inputs.data_sha256 = set.sha256;
  return score_entities(set.sentences,
                        read_predicted_tags(inputs.predictions.where(), inputs.predictions.text(), set.sentences));
}

ScoreReport score_log_probabilities(const Inputs& inputs) {
  const auto texts = read_log_probabilities(inputs.predictions.where(), inputs.predictions.text());
  if (inputs.request.data.empty()) return score_perplexity(texts, nullptr);
  const PlainText text = load_plain_text(inputs.request.data);
  inputs.data_sha256 = text.sha256;
  const TextSize size{count_words(text.text), text.text.size()};
  return score_perplexity(texts, &size);
}

ScoreReport score_masked_tokens(const Inputs& inputs) {
  const DataFile data(inputs.request.data);
  inputs.data_sha256 = data.sha256();
  const auto labels = read_token_ids(data.where(), data.text());
  const auto predicted = read_token_ids(inputs.predictions.where(), inputs.predictions.text());
  if (labels.size() != predicted.size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} lists of token ids, but {} has {}", inputs.predictions.where(), predicted.size(),
                            data.where(), labels.size()));
  }
  std::vector<int> all_labels;
  std::vector<int> all_predicted;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].size() != predicted[i].size()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: list {} has {} token ids, that of {} has {}", inputs.predictions.where(), i + 1,
                              predicted[i].size(), data.where(), labels[i].size()));
    }
    all_labels.insert(all_labels.end(), labels[i].begin(), labels[i].end());
    all_predicted.insert(all_predicted.end(), predicted[i].begin(), predicted[i].end());
  }
  return score_masked_lm(all_predicted, all_labels);
}

struct ScoredTask {
  const char* name;
  ScoreReport (*score)(const Inputs& inputs);
};
constexpr ScoredTask kScoredTasks[] = {{"sequence_classification", score_classes},
                                       {"token_classification", score_tags},
                                       {"question_answering", score_answers},
                                       {"causal_lm", score_log_probabilities},
                                       {"masked_lm", score_masked_tokens}};

}  // namespace

std::vector<std::string> scored_tasks() {
  std::vector<std::string> names;
  for (const ScoredTask& task : kScoredTasks) names.emplace_back(task.name);
  return names;
}

FileScore score_files(const ScoreRequest& request) {
  for (const ScoredTask& task : kScoredTasks) {
    if (request.task != task.name) continue;
    const bool has_options = request.options.any() || !request.prediction_column.empty();
    if (has_options && task.score != score_classes) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("task {} has no columns or splits to choose and no classes to list", request.task));
    }
    const DataFile predictions(request.predictions);
    FileScore result;
    result.predictions_sha256 = predictions.sha256();
    result.report = task.score({request, predictions, result.data_sha256});
    return result;
  }
  throw unknown_value("task", request.task, scored_tasks());
}

}  // namespace transformeter
