// A run before its first replicate: how it is to be made, the worker's answers, the cases, the environment.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "metrics/quads.h"
#include "run/budget.h"
#include "run/expand.h"
#include "run/plan.h"
#include "schema/record.h"

namespace transformeter {

/// What is measured after the planned slices, while there is time.
enum class AfterSlices {
  kNarrow,  // undecided comparisons, then the widest intervals
  kDecide,  // none; further processes of cases whose comparison is undecided
  kRace,    // undecided comparisons; a case that is plainly no faster than its baseline leaves
  kChoose,  // none; further processes of the cases that are asked for
};

/// Whether the case's comparison needs no further processes, by time of the baseline ÷ time of the case.
using IsDecided = std::function<bool(const CaseRecord& record, const Quotient& speed_up)>;

/// Ids of the cases worth one more process each; empty: measure no more. The store has all that was measured.
using FurtherCases = std::function<std::vector<std::string>()>;

struct RunnerOptions {
  Seconds worker_timeout{120};
  BudgetOptions budget;
  bool compares = false;       // each case's outputs with those of a reference
  bool retry_faults = false;   // one replicate more for each that timed out, crashed or failed
  std::int64_t slices = 1;     // of each replicate at least, if its samples suffice; 1: one window
  Seconds slice{0.5};          // longest; as good as longer ones in simulation, and more of them fit
  Json baseline = nullptr;     // settings; null: nothing is compared
  IsDecided is_decided;        // of kDecide
  FurtherCases further_cases;  // of kChoose
  AfterSlices after_slices = AfterSlices::kNarrow;
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
  std::vector<PlannedCase> cases;        // as record.cases, by position
  ExpandOptions expansion;               // with which they were planned; empty in a stored run
  std::shared_ptr<Describer> describer;  // likewise; none in a stored run
  bool gives_outputs = false;            // the worker, to compare with a reference
  bool gives_profiles = false;           // likewise
  bool gives_forecasts = false;          // likewise
};

/// Of a run that starts at this time (Unix seconds), with a random part.
std::string new_run_id(double wall_s);

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

}  // namespace transformeter
