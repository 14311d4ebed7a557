// The tasks behind make_prediction_task, one file each.
#pragma once

#include "datasets/prediction_task.h"

namespace transformeter {

using TaskMaker = std::unique_ptr<PredictionTask> (*)(const PredictionModel& model, const PredictionOptions& options);

// `options.max_length` is set and fits the model.
std::unique_ptr<PredictionTask> make_classification_task(const PredictionModel& model,
                                                         const PredictionOptions& options);
std::unique_ptr<PredictionTask> make_embedding_task(const PredictionModel& model, const PredictionOptions& options);
std::unique_ptr<PredictionTask> make_entity_task(const PredictionModel& model, const PredictionOptions& options);
std::unique_ptr<PredictionTask> make_answer_task(const PredictionModel& model, const PredictionOptions& options);
std::unique_ptr<PredictionTask> make_mask_task(const PredictionModel& model, const PredictionOptions& options);

}  // namespace transformeter
