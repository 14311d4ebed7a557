// Summaries of what was just measured, so that reading it needs no samples.
#pragma once

#include <string>

#include "store/store.h"

namespace transformeter {

/// Analyses the case from what the store holds, and keeps the summary there.
void keep_summary(Store& store, const std::string& run_id, const std::string& case_id);

}  // namespace transformeter
