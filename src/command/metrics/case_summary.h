// A case's analysis as a text that a store keeps next to the raw series, so that reading results needs no samples.
#pragma once

#include <optional>

#include "metrics/case_metrics.h"
#include "metrics/metric_groups.h"
#include "schema/record.h"

namespace transformeter {

enum class MetricRows {
  kAll,
  kHeadlines,  // the first row of each metric, which is what tables show
};

/// Analyses the case, which must hold its series.
CaseSummary summarize(const CaseRecord& the_case);

bool has_current_summary(const CaseRecord& the_case);

/// The result of analyze_case, read from the summary if it is current, else computed from the series. Throws
/// Error(kBadInput) for a summary of this version that is damaged.
CaseAnalysis analysis_of(const CaseRecord& the_case, MetricRows rows = MetricRows::kAll);

}  // namespace transformeter
