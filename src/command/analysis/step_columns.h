// Counts training steps from the stored series.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schema/record.h"

namespace transformeter {

/// Of the replicates that are ok.
struct StepCounts {
  std::size_t fewest = 0;
  std::size_t most = 0;
};

/// The number of losses, including warm-up; nothing if a replicate's losses are not stored.
std::optional<StepCounts> step_counts(const CaseRecord& the_case);

/// Of all the cases whose losses are at hand; nothing where there is none.
std::optional<StepCounts> step_counts(const std::vector<const CaseRecord*>& cases);

/// Those that are ok.
std::vector<const ReplicateRecord*> finished_replicates(const CaseRecord& the_case);

/// Drops every series that the functions above, and loss_metrics, do not read.
void keep_step_columns(CaseRecord& the_case);

}  // namespace transformeter
