// A text or a pair is one row.
#include "tasks/whole_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "datasets/label_match.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

class WholeText final : public EncodedInput {
 public:
  WholeText(Encoding encoding, const WholeTextAnswer& answer) : answer_(answer) {
    rows_.push_back(std::move(encoding));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    Prediction prediction = answer_(outputs.front().values);
    prediction.truncated = rows_.front().truncated_tokens > 0;
    return prediction;
  }

 private:
  const WholeTextAnswer& answer_;
};

class WholeTextTask final : public PredictionTask {
 public:
  WholeTextTask(const PredictionModel& model, const PredictionOptions& options, WholeTextAnswer answer)
      : PredictionTask(true), tokenizer_(model.tokenizer), prompt_(model.prompt), answer_(std::move(answer)) {
    encode_options_.max_length = options.max_length;
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    const std::string text = prompt_ + input.text;
    Encoding encoding = input.text_pair ? tokenizer_.encode_pair(text, *input.text_pair, encode_options_)
                                        : tokenizer_.encode(text, encode_options_);
    return std::make_unique<WholeText>(std::move(encoding), answer_);
  }

  const Tokenizer& tokenizer_;
  std::string prompt_;
  WholeTextAnswer answer_;
  EncodeOptions encode_options_;
};

class WholeTextRows final : public TrainingRows {
 public:
  WholeTextRows(std::vector<Example> examples, const Tokenizer& tokenizer, std::int64_t max_length, LabelKind kind,
                WholeTextLabel label)
      : examples_(std::move(examples)), tokenizer_(tokenizer), kind_(kind), label_(std::move(label)) {
    encode_.max_length = max_length;
  }

  std::size_t size() const override { return examples_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(examples_.size()); }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const Example& one = examples_.at(example);
    TrainingRow row;
    row.encoding = one.text_pair ? tokenizer_.encode_pair(one.text, *one.text_pair, encode_)
                                 : tokenizer_.encode(one.text, encode_);
    label_(one, row);
    return {std::move(row)};
  }
  LabelKind label_kind() const override { return kind_; }

 private:
  std::vector<Example> examples_;
  const Tokenizer& tokenizer_;
  EncodeOptions encode_;
  LabelKind kind_;
  WholeTextLabel label_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_whole_text_task(const PredictionModel& model, const PredictionOptions& options,
                                                     WholeTextAnswer answer) {
  return std::make_unique<WholeTextTask>(model, options, std::move(answer));
}

LabelledRows whole_text_rows(DataSet data, const Tokenizer& tokenizer, const TrainingRowsOptions& options,
                             LabelKind kind, WholeTextLabel label) {
  std::vector<Example> drawn;
  bool has_pairs = false;
  for (const std::size_t i : drawn_examples(data.examples.size(), options)) {
    has_pairs = has_pairs || data.examples[i].text_pair.has_value();
    drawn.push_back(std::move(data.examples[i]));
  }
  check_room(tokenizer, options, has_pairs);
  LabelledRows labelled;
  labelled.rows =
      std::make_unique<WholeTextRows>(std::move(drawn), tokenizer, options.max_length, kind, std::move(label));
  labelled.class_count = data.label_count;
  labelled.class_names = std::move(data.label_names);
  return labelled;
}

NeededLabel needed_class(Task task) {
  const char* const hint = modality_of(task) == Modality::kText
                               ? "choose a column with --label-column"
                               : "choose a column with --label-column, or give a folder for each class";
  return {"label", [](const Example& example) { return example.label.has_value(); }, hint};
}

void check_labelled(const DataSet& data, const std::string& where, const std::string& what) {
  check_labelled(data, where, what, needed_class(data.task));
}

void check_labelled(const DataSet& data, const std::string& where, const std::string& what, const NeededLabel& label) {
  const std::vector<Example>& examples = data.examples;
  const auto first_without = std::find_if_not(examples.begin(), examples.end(), label.is_there);
  if (first_without == examples.end()) return;
  if (std::none_of(examples.begin(), examples.end(), label.is_there)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: the examples have no {}s, which {} needs; {}", where, label.noun, what, label.hint));
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: example {}{} has no {}, which {} needs", where, first_without - examples.begin() + 1,
                          first_without->id ? fmt::format(" ('{}')", *first_without->id) : "", label.noun, what));
}

DataSet with_classes_of(DataSet data, const ModelConfig& trained, const std::string& where) {
  if (data.label_count != trained.num_labels) return data;
  DataSet matched = data;
  try {
    match_labels(matched, trained, where);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return data;
  }
  return matched;
}

ScoreReport with_note_of_blanks(ScoreReport report, const DataSet& data) {
  const auto blanks = std::count_if(data.examples.begin(), data.examples.end(),
                                    [](const Example& example) { return is_blank(example.text, example.text_pair); });
  if (blanks > 0) report.notes.push_back(fmt::format("blank texts: {} of {}", blanks, data.examples.size()));
  return report;
}

ScoredTexts::ScoredTexts(const DataSet& data, std::string where) : where_(std::move(where)) {
  for (const Example& example : data.examples) inputs_.push_back({example.text, example.text_pair, {}});
}

std::string ScoredTexts::place_of(std::size_t input) const {
  return fmt::format("{}: example '{}'", where_, excerpt(inputs_[input].text));
}

}  // namespace transformeter
