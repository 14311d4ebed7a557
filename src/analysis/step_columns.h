// What the stored columns of a training's steps say beyond its metrics: how many steps there were, of how many
// examples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/record.h"

namespace transformeter {

/// Examples of a step.
struct StepExamples {
  double median = 0;
  double mean = 0;
};

/// Of the steps after warm-up of all replicates that are ok; nothing where their columns are not at hand.
std::optional<StepExamples> step_examples(const CaseRecord& the_case);

/// Losses of the replicate that has the fewest, of those that are ok; nothing where one's are not at hand.
std::optional<std::size_t> fewest_steps(const CaseRecord& the_case);

/// Those that are ok.
std::vector<const ReplicateRecord*> finished_replicates(const CaseRecord& the_case);

/// Drops every series that the functions above, and loss_metrics, do not read.
void keep_step_columns(CaseRecord& the_case);

}  // namespace transformeter
