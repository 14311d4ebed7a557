// Audio embedding: a vector for a sound, the mean of its frames' hidden states.
#include "tasks/task_type.h"

namespace transformeter {
namespace {

Prediction answer_of_output(std::span<const float> numbers, const std::vector<std::string>& /*labels*/) {
  return {EmbeddingPrediction{{numbers.begin(), numbers.end()}}, false};
}

}  // namespace

TaskType audio_embedding_type() {
  TaskType type;
  type.task = Task::kAudioEmbedding;
  type.answer_of_output = answer_of_output;
  return type;
}

}  // namespace transformeter
