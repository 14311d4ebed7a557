// What `run` and `resume` have in common once there is a run in a store.
#pragma once

#include <optional>
#include <string>

#include "base/context.h"
#include "run/runner.h"
#include "store/store.h"

namespace transformeter {

/// Executes with progress on stderr, and corrects the machine's peaks by what was measured.
RunOutcome execute_with_progress(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                                 const RunnerOptions& options);

/// Executes with progress on stderr, prints the results to stdout, and returns the exit code.
int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict);

}  // namespace transformeter
