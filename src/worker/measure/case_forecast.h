// Forecasts the memory of a case from its settings and texts, before anything is loaded.
#pragma once

#include "base/context.h"
#include "base/json.h"
#include "measure/parts.h"
#include "measure/worker_case.h"

namespace transformeter {

/// As effective.memory_forecast, or {reason}. Of `train` with texts of natural lengths there is none: which rows come
/// together is known with its steps. Throws what reading its texts, configuration and tokenizer throws; preparing may
/// refuse more.
Json forecast_case(const Case& request, const Context& context, const WorkerParts& parts);

}  // namespace transformeter
