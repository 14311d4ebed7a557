// What tasks with one output for a whole text or pair share.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tasks/prediction_task.h"

namespace transformeter {

/// The answer from a row's numbers, of which there is at least one; whether the text was cut is filled in after it.
using WholeTextAnswer = std::function<Prediction(std::span<const float> values)>;

/// Borrows what `model` borrows.
std::unique_ptr<PredictionTask> make_whole_text_task(const PredictionModel& model, const PredictionOptions& options,
                                                     WholeTextAnswer answer);

}  // namespace transformeter
