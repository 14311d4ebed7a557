// What import and merge have in common: stopping, and saying how much they moved.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/log.h"
#include "store/store.h"

namespace transformeter {

/// The source, stopped by Error(kInterrupted) between two cases when the user asks for it.
RunSource stoppable(RunSource source, const std::atomic<bool>& interrupt);

/// "added 1 run, 2 cases and 3 replicates to PATH; 4 replicates were there already", then a line for each difference
/// that was not taken over.
std::string join_text(const JoinOutcome& outcome, std::string_view store);

/// Computes the summaries that are missing. A failure is a warning: everything is in by then, and readers compute them.
void keep_summaries_or_warn(Store& store, const Log& log);

}  // namespace transformeter
