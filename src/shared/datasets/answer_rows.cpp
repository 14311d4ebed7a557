// Questions in windows over their contexts, each with the place of the answer: prepare_train_features of Transformers'
// run_qa.py, but that an answer in the context's last token begins there. (run_qa.py goes on over what follows, whose
// places are 0 to 0, and has such an answer begin in the last padding.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "datasets/answer_windows.h"
#include "datasets/python_text.h"
#include "datasets/training_tasks.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

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

}  // namespace

LabelledRows answer_rows(QuestionSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  if (options.stride < 0) throw bad_value("stride", std::to_string(options.stride), "at least 0");
  LabelledRows labelled;
  labelled.rows = std::make_unique<AnswerRows>(drawn_questions(std::move(set), options), where, tokenizer,
                                               WindowOptions{options.max_length, options.stride});
  return labelled;
}

}  // namespace transformeter
