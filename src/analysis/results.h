// Results as JSON, field by field as docs/results.md and docs/results.schema.json describe them.
#pragma once

#include <vector>

#include "base/json.h"
#include "protocol/record.h"

namespace transformeter {

struct ResultOptions {
  bool samples = true;  // false: each replicate's `series` is empty; metrics are computed from the samples all the same
};

/// {schema_version, runs: [...]}. The records must hold their series, or current summaries where the samples are
/// not wanted. NaN and infinities become null.
Json results_json(const std::vector<RunRecord>& runs, const ResultOptions& options);

/// A run without its `cases`.
Json run_fields_json(const RunRecord& run);

/// One element of `cases`.
Json case_json(const CaseRecord& the_case, const ResultOptions& options);

}  // namespace transformeter
