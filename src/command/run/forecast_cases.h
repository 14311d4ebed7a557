// Asks a worker what memory the cases of a run will take, before any of them is measured.
#pragma once

#include <vector>

#include "base/context.h"
#include "metrics/case_forecast.h"
#include "run/prepare_run.h"

namespace transformeter {

/// One for each of run.cases, by one worker that loads no model. Throws Error(kEnvironment) for a worker that cannot be
/// started, Error(kInterrupted).
std::vector<CaseForecast> forecast_cases(const Context& context, const PreparedRun& run, const RunnerOptions& options);

}  // namespace transformeter
