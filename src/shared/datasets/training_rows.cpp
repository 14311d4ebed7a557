// From a task's name and a file to the task's rows.
#include "datasets/training_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "datasets/cycle.h"
#include "datasets/training_tasks.h"

namespace transformeter {
void check_form(const DataSet& data, const std::string& where, const std::string& task) {
  if (data.task == task) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format(
          "{} is a file for {}, which {} cannot be trained on; name the task with --task, or another file with --data",
          where, data.task, task));
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

int reading_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 16U));
}

std::vector<std::string> single_texts(DataSet data, const std::string& where, const TrainingRowsOptions& options) {
  if (data.task != "sequence_classification") check_form(data, where, "causal_lm");
  std::vector<std::string> texts;
  for (Example& example : data.examples) {
    if (example.text_pair) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: contains pairs of texts, but {} needs single texts; choose their column with "
                              "--text-column",
                              where, options.task));
    }
    texts.push_back(std::move(example.text));
  }
  return texts;
}

LabelledRows read_training_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                                const TrainingRowsOptions& options) {
  check_training_task(options);
  DataSet set = load_dataset(path, data);
  if (options.task == "causal_lm") {
    if (set.task == "causal_lm") return causal_rows(broken_lines(path), path, tokenizer, options);
    return causal_rows(single_texts(std::move(set), path, options), path, tokenizer, options);
  }
  if (options.task == "masked_lm") {
    return masked_rows(single_texts(std::move(set), path, options), tokenizer, options);
  }
  check_form(set, path, options.task);
  if (options.task == "question_answering") return answer_rows(load_questions(path), path, tokenizer, options);
  if (options.task == "token_classification") {
    return entity_rows(load_tagged_sentences(path), path, tokenizer, options);
  }
  return classification_rows(std::move(set), path, tokenizer, options);
}

void check_training_task(const TrainingRowsOptions& options) {
  if (options.task == "embedding") {
    throw Error(ErrorKind::kUnsupported, "embedding models have no labels to train on; train for another task");
  }
  static const std::vector<std::string> kTasks = {"sequence_classification", "token_classification",
                                                  "question_answering", "masked_lm", "causal_lm"};
  if (std::find(kTasks.begin(), kTasks.end(), options.task) == kTasks.end()) {
    throw unknown_value("task", options.task, kTasks);
  }
  if (options.max_length < 1) throw bad_value("max_length", std::to_string(options.max_length), "at least 1 token");
}

}  // namespace transformeter
