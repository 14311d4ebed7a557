// Images and texts about them, each held against all others of its batch. It is learnt alone: what was learnt answers
// other tasks.
#include <string>
#include <utility>

#include "tasks/image_rows.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

FineTuningSets divide(const FineTuningSource& source) {
  FineTuningSets sets;
  auto [learnt, kept] = divided(load_captions(source.path, source.data), source);
  sets.rows = caption_rows(std::move(learnt), *source.images, *source.tokenizer, source.rows);
  if (const std::string& file = source.options.evaluation_data; !file.empty()) {
    kept = load_captions(file, source.scored_data());
  }
  if (!kept) return sets;
  TrainingRowsOptions all = source.rows;
  all.limit.reset();  // of what is learnt from
  sets.scored_files = kept->examples;
  sets.scored_rows = caption_rows(std::move(*kept), *source.images, *source.tokenizer, all);
  return sets;
}

}  // namespace

TaskType contrastive_image_text_type() {
  TaskType type;
  type.task = Task::kContrastiveImageText;
  type.loss = LossKind::kPairs;
  type.label_kind = LabelKind::kCaption;
  type.divide = divide;
  return type;
}

}  // namespace transformeter
