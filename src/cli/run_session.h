// What `run` and `resume` have in common once there is a run in a store.
#pragma once

#include <optional>
#include <string>

#include "base/context.h"
#include "run/runner.h"
#include "store/store.h"

namespace transformeter {

/// Executes with progress on stderr, prints the results to stdout, and returns the exit code.
int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict);

/// Relative half-width of the latest replicate's median latency.
std::optional<double> live_half_width(const CaseRecord& the_case);

}  // namespace transformeter
