// Compares each case of a run with the baseline case of its group: speed-up, time saved, memory saved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/compare_cases.h"
#include "base/json.h"

namespace transformeter {

/// One case seen from its baseline. The rows are those of comparison_terms in their order; their statistic is "ratio",
/// and n is the smaller of both counts of replicates.
struct BaselinePair {
  const AnalyzedCase* baseline = nullptr;  // null: the group has none
  const AnalyzedCase* candidate = nullptr;
  SpeedComparison speed;
  std::vector<MetricRow> rows;
};

struct BaselineTable {
  Json baseline;                 // {setting: value}
  std::vector<std::string> arm;  // settings that differ between the arms of a group: those of the baseline, and those
                                 // that follow from them
  std::vector<std::string> groups;  // varying settings that tell groups apart
  std::vector<BaselinePair> pairs;  // in reading order
  std::string note;                 // why there are no pairs
};

/// The baseline that the run was planned with; nothing when it has none or the stored one is invalid.
std::optional<Json> planned_baseline(const RunRecord& run);

/// Nothing without `run.baseline`. Borrows `run`. Cases whose requested settings are equal but for the arm's form a
/// group. To the arm belongs also, outside the workload, a setting that the plan gives one value and whose values
/// differ all the same, as what a named engine chooses, and one that the baseline's cases do not have. Every case that
/// is not the baseline makes a pair, whatever became of it.
std::optional<BaselineTable> baseline_table(const AnalyzedRun& run);

/// Why that memory of two cases cannot be compared, however often it was measured: several workers, or tensors that one
/// side may not count. Empty when it can.
std::string why_other_memory(const AnalyzedCase& baseline, const AnalyzedCase& candidate, std::string_view metric);

/// The pair's row of that name, or null.
const MetricRow* find_row(const BaselinePair& pair, std::string_view name);

/// {baseline, arm, groups, note, pairs: [{baseline_case, case, answer, reason, tolerated_doubts, metrics}]}; null
/// without a table.
Json comparison_json(const AnalyzedRun& run);

}  // namespace transformeter
