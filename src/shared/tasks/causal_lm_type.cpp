// Causal language models: training on running text in blocks of equal length, and perplexity. tasks/prompts.h has what
// is generated.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "datasets/data_file.h"
#include "datasets/plain_text.h"
#include "tasks/perplexity.h"
#include "tasks/predictions.h"
#include "tasks/score_files.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

// One list for the whole text, or one for each of its lines; and as many tokens as text can have.
void check_fit(const ScoreInputs& inputs, const std::vector<std::vector<double>>& lists, const PlainText& text) {
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

ScoreReport score(const ScoreInputs& inputs) {
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

constexpr std::size_t kTextsAtOnce = 8192;  // whose encodings are in memory before only their ids are kept

class CausalRows final : public TrainingRows {
 public:
  CausalRows(std::vector<std::int32_t> ids, std::vector<std::size_t> blocks, std::size_t length)
      : ids_(std::move(ids)), blocks_(std::move(blocks)), length_(length) {}

  std::size_t size() const override { return blocks_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(blocks_.size()); }
  LabelKind label_kind() const override { return LabelKind::kToken; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const auto begin = ids_.begin() + static_cast<std::ptrdiff_t>(blocks_.at(example) * length_);
    const auto end = begin + static_cast<std::ptrdiff_t>(length_);
    TrainingRow row;
    row.encoding.ids.assign(begin, end);
    row.encoding.type_ids.assign(length_, 0);
    row.encoding.special_mask.assign(length_, 0);
    row.labels.assign(begin, end);
    return {std::move(row)};
  }

 private:
  std::vector<std::int32_t> ids_;    // of all blocks
  std::vector<std::size_t> blocks_;  // that are learnt from
  std::size_t length_;
};

// The lines of a text file, empty ones too, each with its line break as "\n".
std::vector<std::string> broken_lines(const std::string& path, const DataOptions& data) {
  const DataFile file(path, data.selection());
  const std::string_view text = file.text();
  std::vector<std::string> lines;
  for (std::size_t position = 0; position < text.size();) {
    lines.emplace_back(next_line(text, position));
    if (text[position - 1] == '\n') lines.back() += '\n';
  }
  return lines;
}

LabelledRows causal_rows(const std::vector<std::string>& texts, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options) {
  if (options.max_length < 2) {
    throw bad_value("max_length", std::to_string(options.max_length),
                    "at least 2 tokens, since the first one is not predicted");
  }
  std::vector<std::int32_t> ids;
  for (std::size_t begin = 0; begin < texts.size(); begin += kTextsAtOnce) {
    const auto some = std::span(texts).subspan(begin, std::min(kTextsAtOnce, texts.size() - begin));
    for (const Encoding& encoding : tokenizer.encode_batch(some, {}, reading_threads())) {
      ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
    }
  }
  const auto length = static_cast<std::size_t>(options.max_length);
  if (ids.size() < length) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {} tokens are too few for a block of max_length {}", where,
                                                  ids.size(), options.max_length));
  }
  const std::size_t blocks = ids.size() / length;
  ids.resize(blocks * length);
  ids.shrink_to_fit();
  LabelledRows labelled;
  labelled.rows = std::make_unique<CausalRows>(std::move(ids), drawn_examples(blocks, options), length);
  return labelled;
}

LabelledRows read_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& options) {
  DataSet set = load_dataset(path, data);
  if (set.task == Task::kCausalLm) return causal_rows(broken_lines(path, data), path, tokenizer, options);
  return causal_rows(single_texts(std::move(set), path, options), path, tokenizer, options);
}

RowLabeller random_labels(std::int64_t /*classes*/, const Tokenizer& /*tokenizer*/,
                          const TrainingRowsOptions& /*options*/) {
  return [](Encoding encoding, std::size_t /*example*/, std::int64_t /*epoch*/) {
    std::vector<std::int64_t> labels(encoding.ids.begin(), encoding.ids.end());
    return TrainingRow{std::move(encoding), std::move(labels)};
  };
}

}  // namespace

TaskType causal_lm_type() {
  TaskType type;
  type.task = Task::kCausalLm;
  type.score = score;
  type.scores_without_data = true;
  type.loss = LossKind::kNextToken;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kToken;
  type.divide = running_text_sets;
  return type;
}

}  // namespace transformeter
