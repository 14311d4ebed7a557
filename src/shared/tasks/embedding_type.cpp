// Embedding: a vector for a text, or a pair of texts.
#include "tasks/task_type.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

std::unique_ptr<PredictionTask> make_prediction(const PredictionModel& model, const PredictionOptions& options) {
  return make_whole_text_task(model, options, [](std::span<const float> values) {
    return Prediction{EmbeddingPrediction{{values.begin(), values.end()}}, false};
  });
}

}  // namespace

TaskType embedding_type() {
  TaskType type;
  type.task = Task::kEmbedding;
  type.make_prediction = make_prediction;
  return type;
}

}  // namespace transformeter
