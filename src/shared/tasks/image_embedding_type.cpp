// Image embedding: a vector for an image.
#include "tasks/task_type.h"

namespace transformeter {
namespace {

Prediction answer_of_output(std::span<const float> numbers, const std::vector<std::string>& /*labels*/) {
  return {EmbeddingPrediction{{numbers.begin(), numbers.end()}}, false};
}

}  // namespace

TaskType image_embedding_type() {
  TaskType type;
  type.task = Task::kImageEmbedding;
  type.answer_of_output = answer_of_output;
  return type;
}

}  // namespace transformeter
