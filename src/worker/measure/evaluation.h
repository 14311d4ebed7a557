// Evaluates a case's outputs: checks for NaN, computes the task's score, and collects outputs to compare with a
// reference.
#pragma once

#include <functional>

#include "base/clock.h"
#include "measure/prepared_case.h"
#include "schema/messages.h"

namespace transformeter {

/// Over all batches of the data set where it is scored, cut cycle or not; else over the first one and those with inputs
/// whose outputs are asked for, which of a fixed length go on beyond the one that was measured. `on_progress` is called
/// at most once a second.
Evaluated evaluate_case(const PreparedCase& prepared, const EvaluateRequest& request, const Clock& clock,
                        const std::function<void(const Evaluating&)>& on_progress);

}  // namespace transformeter
