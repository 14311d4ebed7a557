// A run with its analyzed cases in display order: the input of tables and reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "schema/record.h"

namespace transformeter {

struct AnalyzedCase {
  const CaseRecord* record = nullptr;
  CaseAnalysis analysis;
  std::string label;  // see short_label

  bool is_ok() const { return record->status == Status::kOk; }
  bool is_usable() const { return is_ok() && analysis.verdict.level != VerdictLevel::kInvalid; }
  bool is_doubtful() const { return is_ok() && analysis.verdict.level == VerdictLevel::kDoubtful; }
};

struct AnalyzedRun {
  const RunRecord* run = nullptr;
  std::vector<std::string> axes;       // see varying_settings
  std::vector<std::string> following;  // see following_settings
  std::vector<AnalyzedCase> cases;     // in reading order
  std::optional<Json> baseline;        // what its cases are compared with: the plan's, unless a reader asks for another
};

/// Borrows `run`, which must hold its series or current summaries and outlive the answer. From a summary only the
/// headlines are read. A `baseline` takes the place of the plan's.
AnalyzedRun analyze_run(const RunRecord& run, const std::optional<Json>& baseline = std::nullopt);

/// The metric's headline: its first row (docs/metrics.md); null when there is none.
const MetricRow* shown_metric(const AnalyzedCase& the_case, std::string_view name);

/// The case's speed: `cycle_time` if the cycle has several batches, else the median of `latency`. Null when there is no
/// such row.
const MetricRow* headline_time(const AnalyzedCase& the_case);

/// "seeded random, seed 0", "checkpoint"; nothing when no worker reported it.
std::optional<std::string> weights_source(const CaseRecord& the_case);

/// The name of the case's status, or "pending".
std::string_view status_word(const CaseRecord& the_case);

/// Of a case that is not ok: "b8 fp32 is crashed: the worker ...", or what measures one that is pending.
std::string why_not_ok(const AnalyzedCase& one);

}  // namespace transformeter
