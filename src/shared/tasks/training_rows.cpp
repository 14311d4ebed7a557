// From a task's name and a file to the task's rows.
#include "tasks/training_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "datasets/cycle.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"

namespace transformeter {
void check_form(const DataSet& data, const std::string& where, Task task) {
  if (data.task == task) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format(
          "{} is a file for {}, which {} cannot be trained on; name the task with --task, or another file with --data",
          where, name_of(data.task), name_of(task)));
}

std::vector<std::size_t> drawn_examples(std::size_t count, const TrainingRowsOptions& options) {
  CycleOptions draw;
  draw.limit = options.limit;
  draw.seed = options.seed;
  std::vector<std::size_t> drawn = select_examples(count, draw);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

void check_room(const Tokenizer& tokenizer, const TrainingRowsOptions& options, bool is_pair) {
  EncodeOptions encode;
  encode.max_length = options.max_length;
  is_pair ? tokenizer.encode_pair("", "", encode) : tokenizer.encode("", encode);
}

void check_batch_size(Task task, std::int64_t batch_size) {
  const std::int64_t least = least_batch_size(task);  // above 1 only of pairs
  if (batch_size >= least) return;
  throw bad_value("batch_size", fmt::format("{}", batch_size),
                  fmt::format("at least {}: a pair is learned against the others of its batch", least));
}

std::optional<std::string> why_not_smoothed(Task task, bool packs_rows) {
  switch (loss_of(task)) {
    case LossKind::kSpan:
      if (!packs_rows) return std::nullopt;
      return "label_smoothing does not support packed rows; use batching padded or bucketed";
    case LossKind::kSquaredError:
    case LossKind::kBinaryCrossEntropy:
    case LossKind::kPairs:
      return fmt::format("label_smoothing needs classes that exclude each other, which task {} does not have",
                         name_of(task));
    case LossKind::kTranscript:
      return fmt::format("label_smoothing needs a class for each frame, which task {} does not give", name_of(task));
    default:
      return std::nullopt;
  }
}

std::size_t kept_inputs(std::size_t count, std::size_t values) {
  constexpr std::size_t kMostBytes = 64 * 1024 * 1024;
  return std::clamp<std::size_t>(kMostBytes / (values * sizeof(float)), 1, count);
}

RandomStream label_stream(std::uint64_t seed, std::size_t example) {
  return {seed, fmt::format("synthetic/labels/{}", example)};
}

int reading_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 16U));
}

void check_single_texts(const DataSet& data, const std::string& where, Task task) {
  const bool has_pairs = std::any_of(data.examples.begin(), data.examples.end(),
                                     [](const Example& example) { return example.text_pair.has_value(); });
  if (!has_pairs) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("{}: contains pairs of texts, but {} needs single texts; choose their column with --text-column",
                  where, name_of(task)));
}

std::vector<std::string> single_texts(DataSet data, const std::string& where, const TrainingRowsOptions& options) {
  if (data.task != Task::kSequenceClassification) check_form(data, where, Task::kCausalLm);
  check_single_texts(data, where, options.task);
  std::vector<std::string> texts;
  for (Example& example : data.examples) texts.push_back(std::move(example.text));
  return texts;
}

LabelledRows read_training_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                                const TrainingRowsOptions& options) {
  check_training_task(options);
  const TaskType& type = task_type(options.task);
  if (type.read_rows == nullptr) {
    throw Error(ErrorKind::kInternal, fmt::format("{} reads no texts", name_of(type.task)));
  }
  return type.read_rows(path, data, tokenizer, options);
}

std::vector<std::string> trained_tasks() {
  return names_of_tasks([](const TaskType& type) { return type.loss.has_value(); });
}

void check_training_task(const TrainingRowsOptions& options) {
  if (!task_type(options.task).loss) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} models have no labels to train on; train for another task", name_of(options.task)));
  }
  if (options.max_length < 1) throw bad_value("max_length", std::to_string(options.max_length), "at least 1 token");
}

}  // namespace transformeter
