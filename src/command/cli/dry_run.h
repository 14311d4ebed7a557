// A plan's cases with what they will take, without measuring them.
#pragma once

#include <string>

#include "base/context.h"
#include "cli/run_session.h"

namespace transformeter {

/// Prints them as "table", "markdown" or "json"; stores nothing. The time of each is what it took before, if the store
/// at `store_path` is there and has it. Returns the exit code of the run itself if every case that is not known to be
/// impossible is ok: a forecast that exceeds the memory limit changes nothing. Throws what forecast_cases throws.
int show_forecast(const Context& context, const PlannedRun& planned, const std::string& store_path,
                  const std::string& format, bool strict);

/// Logs a warning for each case whose tensors alone are larger than its memory limit.
void warn_of_large_cases(const Context& context, const PreparedRun& run, const RunnerOptions& options);

}  // namespace transformeter
