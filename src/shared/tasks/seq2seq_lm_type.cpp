// Sequence to sequence: a text is encoded, and another is made of it. tasks/prompts.h has what is generated; learnt are
// the tokens of texts that are to be made.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "datasets/row_frame.h"
#include "datasets/usual_columns.h"
#include "tasks/task_type.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

NeededLabel needed_target() {
  return {"target text", [](const Example& example) { return example.target && !trim(*example.target).empty(); },
          fmt::format("choose their column with --label-column; known names: {}", fmt::join(target_columns(), ", "))};
}

DataSet load_pairs(const std::string& path, DataOptions options, const std::string& what) {
  options.has_target_texts = true;
  DataSet data = load_dataset(path, options);
  if (data.task != Task::kSequenceClassification) check_form(data, path, Task::kSeq2SeqLm);
  check_single_texts(data, path, Task::kSeq2SeqLm);
  check_labelled(data, path, what, needed_target());
  return data;
}

// A target is cut as its text is.
LabelledRows target_rows(DataSet data, const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  EncodeOptions encode;
  encode.max_length = options.max_length;
  return whole_text_rows(std::move(data), tokenizer, options, LabelKind::kTarget,
                         [&tokenizer, encode](const Example& example, TrainingRow& row) {
                           const Encoding target = tokenizer.encode(*example.target, encode);
                           row.labels.assign(target.ids.begin(), target.ids.end());
                         });
}

LabelledRows read_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                       const TrainingRowsOptions& options) {
  return target_rows(load_pairs(path, data, "training"), tokenizer, options);
}

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_pairs(source.path, source.data, "training"), source);
  sets.rows = target_rows(std::move(learnt), *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = load_pairs(file, source.scored_data(), "evaluation");
  }
  if (!kept) return sets;
  TrainingRowsOptions all = source.rows;
  all.limit.reset();  // of what is learnt from
  sets.scored_rows = target_rows(std::move(*kept), *source.tokenizer, all);
  return sets;
}

// The text's own tokens in another order.
RowLabeller random_labels(std::int64_t /*classes*/, const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  return [frame = row_frame(tokenizer), seed = options.seed](Encoding encoding, std::size_t example,
                                                             std::int64_t /*epoch*/) {
    const auto before = static_cast<std::ptrdiff_t>(frame.before.size());
    const auto after = static_cast<std::ptrdiff_t>(frame.after.size());
    std::vector<std::int64_t> labels(encoding.ids.begin(), encoding.ids.end());
    std::vector<std::int64_t> own(labels.begin() + before, labels.end() - after);
    RandomStream random = label_stream(seed, example);
    shuffle(own, random);
    std::copy(own.begin(), own.end(), labels.begin() + before);
    return TrainingRow{std::move(encoding), std::move(labels)};
  };
}

}  // namespace

TaskType seq2seq_lm_type() {
  TaskType type;
  type.task = Task::kSeq2SeqLm;
  type.loss = LossKind::kLabels;
  type.read_rows = read_rows;
  type.random_labels = random_labels;
  type.label_kind = LabelKind::kTarget;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
