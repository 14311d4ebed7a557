// Image embedding: a vector for an image.
#include "tasks/task_type.h"

namespace transformeter {

TaskType image_embedding_type() {
  TaskType type;
  type.task = Task::kImageEmbedding;
  type.answer_of_output = vector_of_output;
  return type;
}

}  // namespace transformeter
