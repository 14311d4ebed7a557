// Texts and pairs with one class each.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "datasets/training_tasks.h"

namespace transformeter {
namespace {

class ClassificationRows final : public TrainingRows {
 public:
  ClassificationRows(std::vector<Example> examples, const Tokenizer& tokenizer, std::int64_t max_length)
      : examples_(std::move(examples)), tokenizer_(tokenizer) {
    encode_.max_length = max_length;
  }

  std::size_t size() const override { return examples_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(examples_.size()); }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    const Example& one = examples_.at(example);
    return {{one.text_pair ? tokenizer_.encode_pair(one.text, *one.text_pair, encode_)
                           : tokenizer_.encode(one.text, encode_),
             {*one.label}}};
  }
  LabelKind label_kind() const override { return LabelKind::kRow; }

 private:
  std::vector<Example> examples_;  // each with a label
  const Tokenizer& tokenizer_;
  EncodeOptions encode_;
};

void check_example(const Example& example, std::size_t index, const DataSet& data, const std::string& where) {
  const std::string place =
      fmt::format("{}: example {}{}", where, index + 1, example.id ? fmt::format(" ('{}')", *example.id) : "");
  if (!example.label) throw Error(ErrorKind::kBadInput, place + " has no label, which training needs");
  if (*example.label >= 0 && *example.label < data.label_count) return;
  throw bad_value(place + ": label", std::to_string(*example.label),
                  fmt::format("a number from 0 to {}, for {} classes", data.label_count - 1, data.label_count));
}

}  // namespace

LabelledRows classification_rows(DataSet data, const std::string& where, const Tokenizer& tokenizer,
                                 const TrainingRowsOptions& options) {
  if (data.label_count == 0) {
    throw Error(ErrorKind::kBadInput,
                where + ": the examples have no labels, which training needs; choose a column with --label-column");
  }
  for (std::size_t i = 0; i < data.examples.size(); ++i) check_example(data.examples[i], i, data, where);
  std::vector<Example> drawn;
  bool has_pairs = false;
  for (const std::size_t i : drawn_examples(data.examples.size(), options)) {
    has_pairs = has_pairs || data.examples[i].text_pair.has_value();
    drawn.push_back(std::move(data.examples[i]));
  }
  check_room(tokenizer, options, has_pairs);
  LabelledRows labelled;
  labelled.rows = std::make_unique<ClassificationRows>(std::move(drawn), tokenizer, options.max_length);
  labelled.class_count = data.label_count;
  labelled.class_names = std::move(data.label_names);
  return labelled;
}

}  // namespace transformeter
