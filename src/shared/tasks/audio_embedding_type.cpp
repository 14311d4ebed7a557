// Audio embedding: a vector for a sound, the mean of its frames' hidden states.
#include "tasks/task_type.h"

namespace transformeter {

TaskType audio_embedding_type() {
  TaskType type;
  type.task = Task::kAudioEmbedding;
  type.answer_of_output = vector_of_output;
  return type;
}

}  // namespace transformeter
