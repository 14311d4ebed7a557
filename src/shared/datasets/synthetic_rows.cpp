// Random tokens with the labels of a task.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "datasets/synthetic.h"
#include "datasets/training_tasks.h"

namespace transformeter {
namespace {

LabelKind kind_of(const std::string& task) {
  if (task == "sequence_classification") return LabelKind::kRow;
  return task == "question_answering" ? LabelKind::kSpan : LabelKind::kToken;
}

class SyntheticRows final : public TrainingRows {
 public:
  SyntheticRows(std::vector<Encoding> encodings, std::int64_t classes, const TrainingRowsOptions& options)
      : encodings_(std::move(encodings)),
        classes_(static_cast<std::uint64_t>(classes)),
        task_(options.task),
        seed_(options.seed) {}

  std::size_t size() const override { return encodings_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(encodings_.size()); }
  LabelKind label_kind() const override { return kind_of(task_); }

  std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const override {
    const Encoding& encoding = encodings_.at(example);
    if (masker_) return {masker_->mask(encoding, example, epoch)};
    if (task_ == "causal_lm") return {{encoding, {encoding.ids.begin(), encoding.ids.end()}}};
    RandomStream random(seed_, fmt::format("synthetic/labels/{}", example));
    const auto draw = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    std::vector<std::int64_t> labels;
    if (task_ == "sequence_classification") {
      labels = {draw(classes_)};
    } else if (task_ == "question_answering") {
      labels = {draw(encoding.ids.size()), draw(encoding.ids.size())};
      std::sort(labels.begin(), labels.end());
    } else {
      for (const std::uint8_t is_special : encoding.special_mask) {
        labels.push_back(is_special != 0 ? kNoLabel : draw(classes_));
      }
    }
    return {{encoding, std::move(labels)}};
  }

  void hide_tokens(const TokenMasker& masker) { masker_ = masker; }

 private:
  std::vector<Encoding> encodings_;
  std::uint64_t classes_;
  std::string task_;
  std::uint64_t seed_;
  std::optional<TokenMasker> masker_;  // of masked_lm
};

}  // namespace

std::unique_ptr<TrainingRows> synthetic_training_rows(std::size_t count, std::int64_t classes,
                                                      const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  check_training_task(options);
  const bool has_classes = options.task == "sequence_classification" || options.task == "token_classification";
  if (has_classes && classes < 1) throw bad_value("number of classes", std::to_string(classes), "at least 1");
  if (count < 1) throw bad_value("number of synthetic rows", std::to_string(count), "at least 1");
  const std::vector<std::int64_t> lengths(count, options.max_length);
  auto rows = std::make_unique<SyntheticRows>(synthetic_encodings(lengths, tokenizer, options.seed), classes, options);
  if (options.task == "masked_lm") rows->hide_tokens(TokenMasker(tokenizer, options));
  return rows;
}

}  // namespace transformeter
