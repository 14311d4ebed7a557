// JSON Lines: one object per case, each complete by itself.
#pragma once

#include <string>
#include <vector>

#include "analysis/results.h"

namespace transformeter {

/// {schema_version, run: {id, name, started_at, host}, case: {...}} per line; a run without cases has no line.
std::string results_jsonl(const std::vector<RunRecord>& runs, const ResultOptions& options);

/// The line of one case; `run` is used without its cases.
std::string jsonl_line(const RunRecord& run, const CaseRecord& the_case, const ResultOptions& options);

}  // namespace transformeter
