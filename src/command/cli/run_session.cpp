// Progress, results, exit code.
#include "cli/run_session.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "cli/dry_run.h"
#include "cli/hub_connection.h"
#include "cli/run_progress.h"
#include "cli/run_report.h"
#include "cli/search_report.h"
#include "cli/standard_output.h"
#include "run/prepare_run.h"
#include "run/run_peaks.h"
#include "schema/missing_replicates.h"
#include "schema/settings.h"
#include "tuning/choose_engines.h"

namespace transformeter {

namespace {

// False when the user asked to stop meanwhile: what was measured is shown all the same, whatever fails here.
bool try_correct_peaks(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options) try {
  const auto peaks = open_peak_store(store_path, context.log);
  correct_peaks(context, store, *peaks,
                peak_worker_options(context, run.worker, options.worker_timeout, options.interrupt), run.record);
  return true;
} catch (const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  if (known != nullptr && known->kind() == ErrorKind::kInterrupted) return false;
  context.log(LogLevel::kWarning, fmt::format("peaks were not corrected: {}", error.what()));
  return true;
}

}  // namespace

RunOutcome execute_with_progress(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                                 const RunnerOptions& options) {
  RunOutcome outcome;
  {
    RunProgress progress(context.clock, stderr);
    outcome = execute(context, store, run, options, progress);
  }
  outcome.interrupted = outcome.interrupted || !try_correct_peaks(context, store, store_path, run, options);
  return outcome;
}

StoredRun resumed_run(const Context& context, Store& store, const std::string& run, const std::string& worker) {
  RunRecord record = store.load_run(run, false);
  if (is_resumable(record)) return stored_run(context, std::move(record), worker);
  if (record.role == RunRole::kTrial) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("run {} holds trials of engine auto, which are not resumed. Use --trials again with the run "
                    "that needs them.",
                    record.id));
  }
  throw Error(ErrorKind::kBadInput,
              fmt::format("run {0} is a live comparison, which is not resumed: its processes have to be measured in "
                          "turns. Use compare --live again; `transformeter compare {0}:arm=before {0}:arm=after` "
                          "shows what it has.",
                          record.id));
}

PlannedRun plan_run(const Context& context, const std::atomic<bool>& interrupt, Plan& plan) {
  pin_hub_names(context, interrupt, plan);
  RunnerOptions options = runner_options(plan, context.clock);
  options.interrupt = &interrupt;
  options.spends_rest = true;
  PreparedRun prepared = prepare_run(context, plan, options);
  return {std::move(options), std::move(prepared)};
}

RunOutcome measure_plan(const Context& context, const std::atomic<bool>& interrupt, Plan& plan) {
  auto [options, prepared] = plan_run(context, interrupt, plan);
  warn_of_large_cases(context, prepared, options);
  const std::string path = plan.value("store").get<std::string>();
  const std::unique_ptr<Store> store = open_store(path, StoreMode::kWrite, context.log);
  attach_peaks(context, *open_peak_store(path, context.log),
               peak_worker_options(context, prepared.worker, options.worker_timeout, &interrupt), prepared);
  if (has_engine_to_choose(prepared)) {
    SearchReport report(stderr);
    choose_engines(context, *store, plan, options, prepared, report.events());
  }
  store->begin_run(prepared.record);
  return execute_with_progress(context, *store, path, prepared, options);
}

int report_outcome(Store& store, const std::string& store_path, const RunOutcome& outcome, bool strict) {
  write_standard_output(
      results_table(load_analyzed_run(store, outcome.run_id), store_path, terminal_at(stdout), PendingLine::kLeftOut) +
      ending_line(outcome, store_path));
  if (outcome.interrupted) return kExitInterrupted;
  return exit_code(outcome.statuses, strict);
}

int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict) {
  const RunOutcome outcome = execute_with_progress(context, store, store_path, run, options);
  return report_outcome(store, store_path, outcome, strict);
}

}  // namespace transformeter
