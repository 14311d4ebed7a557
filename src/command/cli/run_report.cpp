// The table is the one `show` prints; only the line about how the run ended is its own.
#include "cli/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/command_line.h"
#include "report/legend.h"
#include "report/run_report.h"
#include "schema/status.h"

namespace transformeter {

namespace {

// Exit code 1 would seem to contradict a table of answers such as `unsupported`.
std::string no_result_line(const RunOutcome& outcome) {
  if (outcome.interrupted) return "";
  const std::vector<Status>& statuses = outcome.statuses;
  if (statuses.empty() && outcome.replicates.pending == 0) return "";
  if (std::find(statuses.begin(), statuses.end(), Status::kOk) != statuses.end()) return "";
  return fmt::format("no case is ok: exit code {}\n", static_cast<int>(kExitFault));
}

}  // namespace

std::string results_table(const RunRecord& run, const std::string& store_path, const Terminal& terminal,
                          PendingLine pending, const std::optional<Json>& baseline) {
  return terminal_report(analyze_run(run, baseline), store_path, {terminal.has_colour, width_limit(terminal)}, pending);
}

std::string ending_line(const RunOutcome& outcome, const std::string& store_path) {
  const std::string pending = pending_text(outcome.replicates);
  const bool may_retry = outcome.retries_faults && (outcome.interrupted || outcome.is_out_of_time);
  const std::string no_result = no_result_line(outcome);
  if (pending.empty() && !may_retry) return outcome.interrupted ? "interrupted\n" : no_result;
  const char* const why = outcome.interrupted ? "interrupted; " : outcome.is_out_of_time ? "time budget used up; " : "";
  return fmt::format("{}{}{}{}finish with: {}{}\n", no_result, why, pending, pending.empty() ? "" : "; ",
                     resume_command(outcome.run_id, store_path), outcome.retries_faults ? " --retry-failed" : "");
}

}  // namespace transformeter
