// What the plan of a run still lacks, by its record alone: what `resume` measures, and what a list of runs, a table and
// the end of a run say is pending.
#pragma once

#include <cstddef>

#include "schema/record.h"

namespace transformeter {

/// Whether a further process of the case would say nothing new: it was known without one, or one ended as each would,
/// such as out of memory.
bool is_answered(const CaseRecord& one);

/// Processes that a plan of `planned` ≥ 0 replicates still lacks: those that are not there, and one for each that
/// is_unfinished, whose slices stay. One that crashed has ended. 0 where the case is_answered.
std::size_t missing_replicates(const CaseRecord& one, int planned);

struct PendingReplicates {
  std::size_t pending = 0;
  std::size_t total = 0;  // the pending ones and those that have ended; with further ones more than planned
};

/// Of all cases of the run.
PendingReplicates pending_replicates(const RunRecord& run);

/// Whether `resume` takes the run up: neither trials of engine `auto`, nor a live comparison, whose processes have to
/// be beside each other.
bool is_resumable(const RunRecord& run);

}  // namespace transformeter
