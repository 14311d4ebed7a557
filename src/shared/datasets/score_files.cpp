// One function for each task.
#include "datasets/score_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "datasets/accuracy.h"
#include "datasets/class_predictions.h"
#include "datasets/data_file.h"
#include "datasets/entity_score.h"
#include "datasets/perplexity.h"
#include "datasets/plain_text.h"
#include "datasets/predictions.h"
#include "datasets/squad_score.h"

namespace transformeter {
namespace {

struct Inputs {
  const ScoreRequest& request;
  const DataFile& predictions;
  std::string& data_sha256;
  const StopCheck& check;
};

ScoreReport score_answers(const Inputs& inputs) {
  const QuestionSet set = load_questions(inputs.request.data);
  inputs.data_sha256 = set.sha256;
  return score_question_answering(set, read_predicted_answers(inputs.predictions.where(), inputs.predictions.text()),
                                  inputs.check);
}

ScoreReport score_classes(const Inputs& inputs) {
  const DataSet data = load_dataset(inputs.request.data, inputs.request.options);
  inputs.data_sha256 = data.sha256;
  if (data.label_count == 0) {
    throw Error(ErrorKind::kBadInput, inputs.request.data +
                                          ": the examples have no labels; choose their column with "
                                          "--label-column");
  }
  std::vector<int> labels;
  for (const Example& example : data.examples) labels.push_back(example.label.value());
  const ClassPredictionOptions options{inputs.request.prediction_column, inputs.request.options};
  return score_classification(
      read_predicted_classes(inputs.predictions.where(), inputs.predictions.text(), data, options), labels,
      inputs.check);
}

ScoreReport score_tags(const Inputs& inputs) {
  const TaggedSentenceSet set = load_tagged_sentences(inputs.request.data);
  inputs.data_sha256 = set.sha256;
  return score_entities(set.sentences,
                        read_predicted_tags(inputs.predictions.where(), inputs.predictions.text(), set.sentences),
                        inputs.check);
}

// One list for the whole text, or one for each of its lines; and as many tokens as text can have.
void check_fit(const Inputs& inputs, const std::vector<std::vector<double>>& lists, const PlainText& text) {
  constexpr double kMaxBytesPerToken = 32;  // real text has 2 to 10; single tokens of white space go up to 128
  const std::size_t lines = text_lines(text.text).size();
  if (lists.size() != 1 && lists.size() != lines) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} lists of log probabilities, but {} has {} lines with text; expected one list per "
                            "line, or one for the whole text",
                            inputs.predictions.where(), lists.size(), inputs.request.data, lines));
  }
  std::size_t tokens = 0;
  for (const auto& list : lists) tokens += list.size();
  const std::size_t bytes = text.text.size();
  const bool are_too_many = tokens > bytes + 2 * lists.size();  // special tokens stand for no bytes
  const bool are_too_few = static_cast<double>(tokens) * kMaxBytesPerToken < static_cast<double>(bytes);
  if (!are_too_many && !are_too_few) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: {} log probabilities cannot belong to the {} bytes of {}: a token covers {} bytes "
                          "of text",
                          inputs.predictions.where(), tokens, bytes, inputs.request.data,
                          are_too_many ? "at least one, not fewer" : "a few, not for more than 32"));
}

ScoreReport score_log_probabilities(const Inputs& inputs) {
  const auto texts = read_log_probabilities(inputs.predictions.where(), inputs.predictions.text());
  if (std::all_of(texts.begin(), texts.end(), [](const auto& list) { return list.empty(); })) {
    throw Error(ErrorKind::kBadInput, inputs.predictions.where() + ": there are no log probabilities to score");
  }
  if (inputs.request.data.empty()) return score_perplexity(texts, nullptr, inputs.check);
  const PlainText text = load_plain_text(inputs.request.data);
  inputs.data_sha256 = text.sha256;
  check_fit(inputs, texts, text);
  const TextSize size{count_words(text.text), text.text.size()};
  return score_perplexity(texts, &size, inputs.check);
}

std::vector<int> joined(const std::vector<TokenIds>& lines) {
  std::vector<int> ids;
  for (const TokenIds& line : lines) ids.insert(ids.end(), line.ids.begin(), line.ids.end());
  return ids;
}

ScoreReport score_masked_tokens(const Inputs& inputs) {
  const DataFile data(inputs.request.data);
  inputs.data_sha256 = data.sha256();
  const auto labels = read_token_ids(data.where(), data.text());
  const auto predicted = read_token_ids(inputs.predictions.where(), inputs.predictions.text());
  for (std::size_t i = 0; i < std::min(labels.size(), predicted.size()); ++i) {
    if (labels[i].ids.size() == predicted[i].ids.size()) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}:{}: {} token ids, but {}:{} has {}", inputs.predictions.where(), predicted[i].line,
                            predicted[i].ids.size(), data.where(), labels[i].line, labels[i].ids.size()));
  }
  if (labels.size() != predicted.size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: {} lists of token ids, but {} has {}", inputs.predictions.where(), predicted.size(),
                            data.where(), labels.size()));
  }
  const std::vector<int> all_labels = joined(labels);
  if (std::all_of(all_labels.begin(), all_labels.end(), [](int label) { return label == kNoLabel; })) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: nothing to score, all labels are {}", data.where(), kNoLabel));
  }
  return score_masked_lm(joined(predicted), all_labels);
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

FileScore score_files(const ScoreRequest& request, const StopCheck& check) {
  for (const ScoredTask& task : kScoredTasks) {
    if (request.task != task.name) continue;
    const bool has_options = request.options.any() || !request.prediction_column.empty();
    if (has_options && task.score != score_classes) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("task {} does not use columns, splits or class lists", request.task));
    }
    const DataFile predictions(request.predictions);
    FileScore result;
    result.predictions_sha256 = predictions.sha256();
    result.report = task.score({request, predictions, result.data_sha256, check});
    return result;
  }
  throw unknown_value("task", request.task, scored_tasks());
}

}  // namespace transformeter
