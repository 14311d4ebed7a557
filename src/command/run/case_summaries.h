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
  std::optional<double> half_width;  // relative, of the headline; nothing where it has no interval
  bool is_over_slices = false;       // not of a single window
  std::vector<SliceTime> slices;
};

/// Analyses the case from what the store holds, and keeps the summary there.
CaseSoFar keep_summary(Store& store, const std::string& run_id, const std::string& case_id);

}  // namespace transformeter
