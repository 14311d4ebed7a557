// Progress, results, exit code.
#include "cli/run_session.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "base/error.h"
#include "cli/run_progress.h"
#include "cli/run_report.h"
#include "cli/standard_output.h"
#include "run/run_peaks.h"

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

int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict) {
  const RunOutcome outcome = execute_with_progress(context, store, store_path, run, options);
  write_standard_output(results_table(load_analyzed_run(store, outcome.run_id), store_path, terminal_at(stdout)) +
                        ending_line(outcome, store_path));
  if (outcome.interrupted) return kExitInterrupted;
  return exit_code(outcome.statuses, strict);
}

}  // namespace transformeter
