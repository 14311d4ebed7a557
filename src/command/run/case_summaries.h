// Summaries of what was just measured, so that reading it needs no samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/case_metrics.h"
#include "store/store.h"

namespace transformeter {

/// What decides whether a case is measured on.
struct CaseSoFar {
  std::optional<double> half_width;        // by which the headline is judged, relative; nothing without an interval
  std::optional<double> shown_half_width;  // the same as tables show it, see relative_half_width
  bool is_over_slices = false;             // not of a single window
  std::vector<SliceTime> slices;
};

/// The case's replicates that the store holds, with their series.
std::vector<ReplicateRecord> stored_replicates(Store& store, const std::string& run_id, const std::string& case_id);

/// Analyses the case, which must hold its series, and keeps the summary in the store.
CaseSoFar keep_summary(Store& store, const std::string& run_id, CaseRecord& the_case);

/// The same of what the store holds of the case.
void keep_summary_again(Store& store, const std::string& run_id, const std::string& case_id);

}  // namespace transformeter
