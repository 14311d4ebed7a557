// Runs all cases of a plan, with interleaved replicates, and stores the results; a failing case does not stop the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "run/budget.h"
#include "run/expand.h"
#include "run/plan.h"
#include "run/progress.h"
#include "schema/record.h"
#include "store/store.h"

namespace transformeter {

struct RunnerOptions {
  Seconds worker_timeout{120};
  BudgetOptions budget;
  bool compares = false;                         // each case's outputs with those of a reference
  bool retry_faults = false;                     // one replicate more for each that timed out, crashed or failed
  std::int64_t slices = 1;                       // of each replicate at least; 1: one window
  Json baseline = nullptr;                       // settings; null: nothing is compared
  bool spends_rest = false;                      // what a budget leaves goes to the widest intervals
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// What `plan` says of the running; a budget begins now.
RunnerOptions runner_options(const Plan& plan, const Clock& clock);

/// A plan turned into a run, ready to be executed.
struct PreparedRun {
  std::filesystem::path worker;
  LaunchHost launch_host;
  RunRecord record;
  std::vector<PlannedCase> cases;  // as record.cases, by position
  bool gives_outputs = false;      // the worker, to compare with a reference
};

/// Checks the plan, asks a worker what it can do, expands the plan, and captures the environment; stores nothing. A
/// worker that fails here is the status of every case. Throws Error(kBadInput, kEnvironment, kInterrupted).
PreparedRun prepare_run(const Context& context, const Plan& plan, const RunnerOptions& options);

/// A stored run with the plan it was made by, and `worker` instead of the plan's when not empty. Throws
/// Error(kBadInput) when it cannot be taken up again: model, data, this machine or the worker's build differ from what
/// was measured before; Error(kEnvironment) when there is no worker.
struct StoredRun {
  PreparedRun run;
  Plan plan;
};
StoredRun stored_run(const Context& context, RunRecord record, const std::string& worker);

/// Runs every (case, replicate) pair that `run` does not have yet and stores each slice as it finishes: cheapest cases
/// first, every case once before any case a second time. With slices the workers of several cases live at once, as many
/// as memory allows, all but one parked, and are visited round by round, back and forth: A B C, C B A, so that of any
/// two cases four slices form a quad A B B A. Then, with fewer than three replicates, cases whose comparison with the
/// baseline is undecided get further quads, and the case with the widest interval further slices, until every
/// comparison is decided and every interval narrow, or the time is used up. A case that ran out of memory is not
/// retried, and cases of the same kind that are at least as large become implied_out_of_memory. On an interrupt the
/// running worker is stopped, the slice under way is not stored, nor a replicate without a finished slice, and the
/// outcome says so. `run` must be in the store. Throws Error(kEnvironment) when the store or a worker's start fails.
RunOutcome execute(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options,
                   Progress& progress);

}  // namespace transformeter
