// Sequence to sequence: a text is encoded, and another is generated (tasks/prompts.h). Nothing is scored or learnt.
#include "tasks/task_type.h"

namespace transformeter {

TaskType seq2seq_lm_type() {
  TaskType type;
  type.task = Task::kSeq2SeqLm;
  return type;
}

}  // namespace transformeter
