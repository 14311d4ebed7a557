// Random tokens with the labels of a task.
#include <string>
#include <utility>

#include "base/error.h"
#include "datasets/synthetic.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
namespace {

class SyntheticRows final : public TrainingRows {
 public:
  SyntheticRows(std::vector<Encoding> encodings, RowLabeller labeller, LabelKind kind)
      : encodings_(std::move(encodings)), labeller_(std::move(labeller)), kind_(kind) {}

  std::size_t size() const override { return encodings_.size(); }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(encodings_.size()); }
  LabelKind label_kind() const override { return kind_; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const override {
    return {labeller_(encodings_.at(example), example, epoch)};
  }

 private:
  std::vector<Encoding> encodings_;
  RowLabeller labeller_;
  LabelKind kind_;
};

}  // namespace

std::unique_ptr<TrainingRows> synthetic_training_rows(std::size_t count, std::int64_t classes,
                                                      const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  check_training_task(options);
  const TaskType& type = task_type(options.task);
  if (has_classes(head_of(options.task)) && classes < 1) {
    throw bad_value("number of classes", std::to_string(classes), "at least 1");
  }
  if (count < 1) throw bad_value("number of synthetic rows", std::to_string(count), "at least 1");
  const std::vector<std::int64_t> lengths(count, options.max_length);
  return std::make_unique<SyntheticRows>(synthetic_encodings(lengths, tokenizer, options.seed),
                                         type.random_labels(classes, tokenizer, options), type.label_kind);
}

}  // namespace transformeter
