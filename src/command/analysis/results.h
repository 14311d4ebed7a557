// Results as JSON, field by field as docs/results.md and docs/results.schema.json describe them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "metrics/case_metrics.h"
#include "schema/record.h"

namespace transformeter {

struct ResultOptions {
  bool samples = true;  // false: each replicate's `series` is empty; metrics are computed from the samples all the same
  std::optional<Json> baseline = std::nullopt;  // what cases are compared with in place of the plan's
};

/// Null for a value that is missing or not finite.
Json finite_or_null(std::optional<double> value);

/// Null for an empty text: what is missing is null.
Json text_or_null(const std::string& text);

/// One element of a case's, or a comparison's, `metrics`.
Json metric_json(const MetricRow& row);

/// {schema_version, runs: [...]}. The records must hold their series, or current summaries where the samples are
/// not wanted. NaN and infinities become null.
Json results_json(const std::vector<RunRecord>& runs, const ResultOptions& options);

/// {id, name, started_at}: what names a run where it is not told whole.
Json run_name_json(const RunRecord& run);

/// A run without its `cases` and what follows from them: `pending_replicate_count` and `comparison`.
Json run_fields_json(const RunRecord& run);

/// A run's `comparison` once its cases are known: null where it has no baseline.
Json run_comparison_json(const RunRecord& run, const ResultOptions& options);

/// One element of `cases`.
Json case_json(const CaseRecord& the_case, const ResultOptions& options);

}  // namespace transformeter
