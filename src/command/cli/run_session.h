// What commands that measure have in common.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/context.h"
#include "run/plan.h"
#include "run/prepare_run.h"
#include "run/runner.h"
#include "store/store.h"

namespace transformeter {

/// Executes with progress on stderr, and corrects the machine's peaks by what was measured.
RunOutcome execute_with_progress(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                                 const RunnerOptions& options);

/// A stored run, to be taken up again, with `worker` in place of its own where that is not empty. Throws
/// Error(kBadInput) for trials of engine `auto` and live comparisons, and as stored_run.
StoredRun resumed_run(const Context& context, Store& store, const std::string& run, const std::string& worker);

/// Before its first replicate.
struct PlannedRun {
  RunnerOptions options;
  PreparedRun run;
};

/// Of a settled plan, whose models of the hub are fetched; stores nothing. Throws Error as prepare_run.
PlannedRun plan_run(const Context& context, const std::atomic<bool>& interrupt, Plan& plan);

/// Measures a settled plan as a new run of its store, which is made if missing: fetches models of the hub, lets engine
/// `auto` choose, shows progress on stderr. Throws Error as prepare_run and execute.
RunOutcome measure_plan(const Context& context, const std::atomic<bool>& interrupt, Plan& plan);

/// Prints the results of a run that was measured to stdout, and returns the exit code.
int report_outcome(Store& store, const std::string& store_path, const RunOutcome& outcome, bool strict);

/// Executes with progress on stderr, prints the results to stdout, and returns the exit code.
int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict);

}  // namespace transformeter
