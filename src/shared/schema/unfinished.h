// A replicate that was cut off between its slices.
#pragma once

#include "schema/record.h"

namespace transformeter {

/// Whether it holds good slices, but fewer than were planned: its run was stopped, or is still going on. Its
/// status_reason says how many.
inline bool is_unfinished(const ReplicateRecord& replicate) {
  return replicate.status == Status::kOk && !replicate.status_reason.empty();
}

}  // namespace transformeter
