// What two runs differ in, and how results changed: as a document and as JSON.
#pragma once

#include "analysis/run_difference.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// Differences by their likely effect, then the comparison's tables.
Document run_difference_document(const RunDifference& difference);

/// {schema_version, before, after, differences, results, why_no_results}, as docs/replay.md describes it.
Json run_difference_json(const RunDifference& difference);

}  // namespace transformeter
