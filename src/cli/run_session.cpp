// Progress, results, exit code.
#include "cli/run_session.h"

#include <cstdio>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "cli/run_progress.h"
#include "cli/run_report.h"
#include "cli/standard_output.h"

namespace transformeter {

int execute_and_report(const Context& context, Store& store, const std::string& store_path, PreparedRun& run,
                       const RunnerOptions& options, bool strict) {
  RunOutcome outcome;
  {
    RunProgress progress(context.clock, stderr);
    outcome = execute(context, store, run, options, progress);
  }
  write_standard_output(results_table(load_analyzed_run(store, outcome.run_id), store_path) +
                        pending_line(outcome, store_path));
  if (outcome.interrupted) return kExitInterrupted;
  return exit_code(outcome.statuses, strict);
}

std::optional<double> live_half_width(const CaseRecord& the_case) {
  AnalyzedCase analyzed;
  analyzed.record = &the_case;
  analyzed.analysis = analyze_case(the_case);
  const MetricRow* row = headline_time(analyzed);
  return row == nullptr ? std::nullopt : relative_half_width(*row);
}

}  // namespace transformeter
