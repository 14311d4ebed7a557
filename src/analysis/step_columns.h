// What the stored columns of a training's steps say beyond its metrics: how many steps there were.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/record.h"

namespace transformeter {

/// Of the replicates that are ok.
struct StepCounts {
  std::size_t fewest = 0;
  std::size_t most = 0;
};

/// How many losses there are, warm-up counted; nothing where a replicate's are not at hand.
std::optional<StepCounts> step_counts(const CaseRecord& the_case);

/// Of all the cases whose losses are at hand; nothing where there is none.
std::optional<StepCounts> step_counts(const std::vector<const CaseRecord*>& cases);

/// Those that are ok.
std::vector<const ReplicateRecord*> finished_replicates(const CaseRecord& the_case);

/// Drops every series that the functions above, and loss_metrics, do not read.
void keep_step_columns(CaseRecord& the_case);

}  // namespace transformeter
