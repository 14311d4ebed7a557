// JSON Lines: one object per case, each complete by itself.
#pragma once

#include <string>
#include <vector>

#include "analysis/results.h"

namespace transformeter {

/// {schema_version, run: {id, name, started_at, host}, case: {...}} per line; a run without cases has no line.
std::string results_jsonl(const std::vector<RunRecord>& runs, const ResultOptions& options);

}  // namespace transformeter
