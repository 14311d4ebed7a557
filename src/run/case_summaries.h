// Summaries of what was just measured, so that reading it needs no samples.
#pragma once

#include <optional>
#include <string>

#include "store/store.h"

namespace transformeter {

/// Analyses the case from what the store holds, and keeps the summary there. Returns the relative half-width of the
/// headline; nothing where it has no interval.
std::optional<double> keep_summary(Store& store, const std::string& run_id, const std::string& case_id);

}  // namespace transformeter
