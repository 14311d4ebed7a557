// A run as a Markdown report.
#pragma once

#include <string>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// The answer first, then the table, memory, verdicts, environment, settings with their origin, how to repeat the run,
/// and what the numbers mean. User text is escaped. `store` is the path of the store; empty: left out.
std::string run_markdown(const AnalyzedRun& run, const std::string& store);

}  // namespace transformeter
