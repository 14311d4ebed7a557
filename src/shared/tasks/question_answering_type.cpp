// Question answering: the words of a context that answer a question, in windows where both together are longer than the
// model. Training rows are those of prepare_train_features of Transformers' run_qa.py, but that an answer in the
// context's last token begins there. (run_qa.py goes on over what follows, whose places are 0 to 0, and has such an
// answer begin in the last padding.)
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "tasks/answer_decoder.h"
#include "tasks/predictions.h"
#include "tasks/python_text.h"
#include "tasks/score_files.h"
#include "tasks/squad_score.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "tokenizers/tokenizer.h"
#include "tokenizers/truncation.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

// encode_pair_windows, but a pair that fits is one window whatever the stride: it needs no room to overlap in.
std::vector<PairWindow> answer_windows(const Tokenizer& tokenizer, std::string_view question, std::string_view context,
                                       const WindowOptions& options) {
  std::vector<PairWindow> windows = tokenizer.encode_pair_windows(question, context, {options.max_length, 0});
  return windows.size() == 1 ? windows : tokenizer.encode_pair_windows(question, context, options);
}

// How many those are, by the tokens of each text alone. 0: answer_windows would throw, for they do not fit.
std::int64_t count_answer_windows(const Tokenizer& tokenizer, std::int64_t question_tokens, std::int64_t context_tokens,
                                  const WindowOptions& options) {
  const std::int64_t room = options.max_length - question_tokens - count_special(tokenizer.traits().arrangement.pair);
  if (room <= 0) return 0;
  if (context_tokens <= room) return 1;
  if (room <= options.stride) return 0;
  return static_cast<std::int64_t>(window_spans(static_cast<std::size_t>(context_tokens),
                                                static_cast<std::size_t>(room),
                                                static_cast<std::size_t>(options.stride))
                                       .size());
}

class Questioned final : public EncodedInput {
 public:
  Questioned(std::vector<PairWindow> windows, const std::string& context, bool allow_no_answer)
      : windows_(std::move(windows)), context_(context) {
    options_.allow_no_answer = allow_no_answer;
    for (const PairWindow& window : windows_) rows_.push_back(window.encoding);
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    std::vector<std::vector<float>> starts(windows_.size());
    std::vector<std::vector<float>> ends(windows_.size());
    std::vector<AnswerWindow> windows;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      for (std::size_t token = 0; token < rows_[i].ids.size(); ++token) {
        starts[i].push_back(outputs[i].token(token)[0]);
        ends[i].push_back(outputs[i].token(token)[1]);
      }
      windows.push_back({starts[i], ends[i], windows_[i].second, windows_[i].characters, windows_[i].bytes});
    }
    return {decode_answer(windows, context_, options_), false};
  }

 private:
  std::vector<PairWindow> windows_;
  const std::string& context_;
  AnswerOptions options_;
};

class AnswerTask final : public PredictionTask {
 public:
  AnswerTask(const PredictionModel& model, const PredictionOptions& options)
      : PredictionTask(true),
        model_(model),
        window_{*options.max_length, options.stride},
        allow_no_answer_(options.allow_no_answer) {
    if (options.stride < 0) throw bad_value("stride", std::to_string(options.stride), "at least 0");
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    if (!input.text_pair) {
      throw Error(ErrorKind::kBadInput, "question answering needs a pair: a question and its context");
    }
    std::vector<PairWindow> windows = answer_windows(model_.tokenizer, input.text, *input.text_pair, window_);
    return std::make_unique<Questioned>(std::move(windows), *input.text_pair, allow_no_answer_);
  }

  PredictionModel model_;
  WindowOptions window_;
  bool allow_no_answer_;
};

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<AnswerTask>(model, options);
}

PredictionInputs read_inputs(const std::string& where, std::string_view text) {
  return prediction_inputs(read_squad(where, text));
}

// One JSON object of id to answer.
class AnswerFile final : public PredictionFile {
 public:
  using PredictionFile::PredictionFile;
  void add(std::size_t index, const Prediction& prediction) override {
    const Json id = inputs_.ids.at(index);
    const Json answer = answer_of<AnswerPrediction>(prediction).answer;
    sink_(fmt::format("{}{}: {}", std::exchange(is_first_, false) ? "{\n" : ",\n", id.dump(), answer.dump()));
  }
  void finish() override { sink_("\n}\n"); }

 private:
  bool is_first_ = true;
};

std::unique_ptr<PredictionFile> make_file(const PredictionInputs& inputs, Sink sink) {
  if (inputs.ids.empty()) raise_other_data(Task::kQuestionAnswering, "the ids of SQuAD");
  return std::make_unique<AnswerFile>(inputs, std::move(sink));
}

ScoreReport score(const ScoreInputs& inputs) {
  const QuestionSet set = load_questions(inputs.request.data, inputs.request.options.split);
  inputs.data_sha256 = set.sha256;
  return score_question_answering(set, read_predicted_answers(inputs.predictions.where(), inputs.predictions.text()),
                                  inputs.check);
}

constexpr std::size_t kTextsAtOnce = 8192;

// As str.lstrip().
std::string without_leading_space(std::string text) {
  const std::u32string points = decode_utf8(text);
  const auto begin = std::find_if_not(points.begin(), points.end(), is_python_space);
  if (begin == points.begin()) return text;
  return encode_utf8(std::u32string(begin, points.end()));
}

// Where a row without an answer has it.
std::int64_t null_place(const std::vector<std::int32_t>& ids, const SpecialTokens& special) {
  for (const std::optional<std::int32_t>& token : {special.cls, special.bos}) {
    const auto found = token ? std::find(ids.begin(), ids.end(), *token) : ids.end();
    if (found != ids.end()) return found - ids.begin();
  }
  return 0;
}

// First and last token of the characters [begin, end) of the context; nothing where the window lacks some of them.
std::optional<TextSpan> tokens_of(const PairWindow& window, TextSpan answer) {
  const std::span<const TextSpan> context =
      std::span(window.characters).subspan(window.second.begin, window.second.end - window.second.begin);
  if (context.empty() || answer.begin == answer.end) return std::nullopt;
  if (context.front().begin > answer.begin || context.back().end < answer.end) return std::nullopt;
  std::size_t first = 0;
  while (first + 1 < context.size() && context[first + 1].begin <= answer.begin) ++first;
  std::size_t last = context.size() - 1;
  while (last > 0 && context[last - 1].end >= answer.end) --last;
  return TextSpan{window.second.begin + first, window.second.begin + last};
}

// Tokens of each text, without special ones.
std::vector<std::int64_t> token_counts(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  EncodeOptions options;
  options.add_special_tokens = false;
  std::vector<std::int64_t> counts;
  for (std::size_t begin = 0; begin < texts.size(); begin += kTextsAtOnce) {
    const auto some = std::span(texts).subspan(begin, std::min(kTextsAtOnce, texts.size() - begin));
    for (const Encoding& encoding : tokenizer.encode_batch(some, options, reading_threads())) {
      counts.push_back(static_cast<std::int64_t>(encoding.ids.size()));
    }
  }
  return counts;
}

class AnswerRows final : public TrainingRows {
 public:
  // `set` holds the questions to learn from, and no others.
  AnswerRows(QuestionSet set, const std::string& where, const Tokenizer& tokenizer, const WindowOptions& options)
      : set_(std::move(set)), tokenizer_(tokenizer), options_(options) {
    std::vector<std::string> texts;
    for (const Question& question : set_.questions) texts.push_back(question.text);
    const std::vector<std::int64_t> question_tokens = token_counts(tokenizer, texts);
    const std::vector<std::int64_t> context_tokens = token_counts(tokenizer, set_.contexts);
    for (std::size_t i = 0; i < set_.questions.size(); ++i) {
      const std::int64_t windows =
          count_answer_windows(tokenizer, question_tokens[i], context_tokens[set_.questions[i].context], options_);
      if (windows == 0) refuse(i, where);
      row_count_ += windows;
    }
  }

  std::size_t size() const override { return set_.questions.size(); }
  std::int64_t row_count() const override { return row_count_; }
  LabelKind label_kind() const override { return LabelKind::kSpan; }

  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const Question& question = set_.questions.at(example);
    TextSpan answer;
    if (!question.answers.empty()) {
      const Answer& first = question.answers.front();
      answer = {first.start, first.start + count_characters(first.text)};
    }
    std::vector<TrainingRow> rows;
    for (PairWindow& window : windows_of(question)) {
      TrainingRow row;
      if (const auto tokens = tokens_of(window, answer)) {
        row.labels = {static_cast<std::int64_t>(tokens->begin), static_cast<std::int64_t>(tokens->end)};
      } else {
        row.labels.assign(2, null_place(window.encoding.ids, tokenizer_.special_tokens()));
      }
      row.encoding = std::move(window.encoding);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::vector<PairWindow> windows_of(const Question& question) const {
    return answer_windows(tokenizer_, question.text, set_.contexts[question.context], options_);
  }

  [[noreturn]] void refuse(std::size_t index, const std::string& where) const {
    const Question& question = set_.questions[index];
    try {
      windows_of(question);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: question '{}': {}", where, question.id, error.what()));
    }
    throw Error(ErrorKind::kInternal, fmt::format("{}: question '{}' fits, but was rejected", where, question.id));
  }

  QuestionSet set_;
  const Tokenizer& tokenizer_;
  WindowOptions options_;
  std::int64_t row_count_ = 0;
};

// The questions that are drawn, and the contexts that they need.
QuestionSet drawn_questions(QuestionSet set, const TrainingRowsOptions& options) {
  QuestionSet drawn;
  std::map<std::size_t, std::size_t> place_of;  // of a context among those that are kept
  for (const std::size_t i : drawn_examples(set.questions.size(), options)) {
    Question& question = set.questions[i];
    const auto [place, is_new] = place_of.emplace(question.context, drawn.contexts.size());
    if (is_new) drawn.contexts.push_back(std::move(set.contexts[question.context]));
    question.context = place->second;
    question.text = without_leading_space(std::move(question.text));
    drawn.questions.push_back(std::move(question));
  }
  return drawn;
}

LabelledRows answer_rows(QuestionSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  if (options.stride < 0) throw bad_value("stride", std::to_string(options.stride), "at least 0");
  LabelledRows labelled;
  labelled.rows = std::make_unique<AnswerRows>(drawn_questions(std::move(set), options), where, tokenizer,
                                               WindowOptions{options.max_length, options.stride});
  return labelled;
}

// Of a file of that form; this reader knows neither columns nor other forms.
QuestionSet load_checked(const std::string& path, const DataOptions& data) {
  check_form(load_dataset(path, data), path, Task::kQuestionAnswering);
  return load_questions(path, data.split);
}

LabelledRows read_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& options) {
  return answer_rows(load_checked(path, data), path, tokenizer, options);
}

// Exact match and F1 of answers.
class ScoredQuestions final : public ScoredInputs {
 public:
  ScoredQuestions(QuestionSet set, std::int64_t stride, std::string where)
      : set_(std::move(set)), where_(std::move(where)) {
    inputs_ = prediction_inputs(set_).inputs;
    options_.stride = stride;
    options_.allow_no_answer = set_.has_unanswerable;
  }

  std::string place_of(std::size_t input) const override {
    return fmt::format("{}: question '{}'", where_, excerpt(set_.questions[input].id));
  }

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::map<std::string, std::string> predicted;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      predicted[set_.questions[i].id] = std::get<AnswerPrediction>(answers[i].value).answer;
    }
    AnswerScores result{score_question_answering(set_, predicted, check).scores, std::nullopt};
    // By F1, which nearly right answers raise too.
    std::stable_partition(result.scores.begin(), result.scores.end(),
                          [](const Score& score) { return score.name == "f1" && score.group.empty(); });
    return result;
  }

 private:
  QuestionSet set_;
  std::string where_;
};

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_checked(source.path, source.data), source);
  sets.rows = answer_rows(std::move(learnt), source.path, *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = load_questions(file, source.options.evaluation_split);
  }
  if (!kept) return sets;
  sets.scored_inputs = std::make_unique<ScoredQuestions>(std::move(*kept), source.rows.stride, source.scored_file());
  return sets;
}

RowLabeller random_labels(std::int64_t /*classes*/, const Tokenizer& /*tokenizer*/,
                          const TrainingRowsOptions& options) {
  return [seed = options.seed](Encoding encoding, std::size_t example, std::int64_t /*epoch*/) {
    RandomStream random = label_stream(seed, example);
    const std::size_t tokens = encoding.ids.size();
    const auto one = static_cast<std::int64_t>(random.below(tokens));
    const auto other = static_cast<std::int64_t>(random.below(tokens));
    return TrainingRow{std::move(encoding), {std::min(one, other), std::max(one, other)}};
  };
}

}  // namespace

TaskType question_answering_type() {
  TaskType type;
  type.task = Task::kQuestionAnswering;
  type.make_prediction = make_prediction;
  type.has_own_form = looks_like_squad;
  type.read_inputs = read_inputs;
  type.make_file = make_file;
  type.score = score;
  type.loss = LossKind::kSpan;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kSpan;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
