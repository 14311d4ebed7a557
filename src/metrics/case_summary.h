// A case's analysis as a text that a store keeps beside the raw series, so that reading needs no samples.
#pragma once

#include <optional>

#include "metrics/case_metrics.h"
#include "protocol/record.h"

namespace transformeter {

/// Raised with every change of what analyze_case answers, and of the text: a test notices. Summaries of another version
/// are computed anew.
inline constexpr int kAnalysisVersion = 11;

enum class MetricRows {
  kAll,
  kHeadlines,  // the first row of each metric, which is what tables show
};

/// Analyses the case, which must hold its series.
CaseSummary summarize(const CaseRecord& the_case);

bool has_current_summary(const CaseRecord& the_case);

/// What analyze_case says: read from the summary where it is current, else computed from the series. Throws
/// Error(kBadInput) for a summary of this version that is damaged.
CaseAnalysis analysis_of(const CaseRecord& the_case, MetricRows rows = MetricRows::kAll);

}  // namespace transformeter
