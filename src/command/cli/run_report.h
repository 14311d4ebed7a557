// What `run` and `resume` print when they are through.
#pragma once

#include <optional>
#include <string>

#include "cli/terminal.h"
#include "report/terminal_document.h"
#include "run/progress.h"
#include "schema/record.h"

namespace transformeter {

/// The table of a run as analyze_run wants it, fitted to the terminal; it ends with the run and the store. `baseline`
/// takes the place of the plan's.
std::string results_table(const RunRecord& run, const std::string& store_path, const Terminal& terminal,
                          PendingLine pending, const std::optional<Json>& baseline = std::nullopt);

/// That no case is ok, and the exit code that follows; that the run was interrupted or ran out of time, how many
/// replicates are pending, and what measures them. Empty where nothing of this is so.
std::string ending_line(const RunOutcome& outcome, const std::string& store_path);

}  // namespace transformeter
