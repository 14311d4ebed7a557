// Choosing the task, and the checks that all of them share.
#include "tasks/prediction_task.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "tasks/task_type.h"
#include "tokenizers/truncation.h"

namespace transformeter {
namespace {

std::int64_t checked_length(const PredictionModel& model, const PredictionOptions& options) {
  const std::int64_t length = options.max_length.value_or(model.text_length.value_or(model.max_positions));
  if (length >= 1 && length <= model.max_positions) return length;
  throw bad_value("max_length", std::to_string(length),
                  fmt::format("a length from 1 to {}, the model's number of positions", model.max_positions));
}

}  // namespace

void check_input(const PredictionInput& input, bool takes_pairs) {
  check_utf8(input.text);
  if (!input.text_pair) return;
  check_utf8(*input.text_pair);
  if (!takes_pairs) throw Error(ErrorKind::kBadInput, "this task needs single texts, not pairs");
}

std::unique_ptr<EncodedInput> PredictionTask::encode(const PredictionInput& input) const {
  check_input(input, takes_pairs_);
  std::unique_ptr<EncodedInput> encoded = do_encode(input);
  for (const Encoding& row : encoded->rows()) {
    if (row.ids.empty()) throw Error(ErrorKind::kBadInput, "the text is blank, and the tokenizer adds no tokens");
  }
  return encoded;
}

std::unique_ptr<PredictionTask> make_prediction_task(Task task, const PredictionModel& model,
                                                     const PredictionOptions& options) {
  const TaskType& type = task_type(task);
  if (type.make_prediction == nullptr) {
    throw Error(ErrorKind::kUnsupported, fmt::format("task {} answers by generating text", name_of(task)));
  }
  PredictionOptions checked = options;
  checked.max_length = checked_length(model, options);
  return type.make_prediction(model, checked);
}

}  // namespace transformeter
