// Warm-up counts: a model learns from its first step.
#include "analysis/step_columns.h"

#include <algorithm>

namespace transformeter {

std::vector<const ReplicateRecord*> finished_replicates(const CaseRecord& the_case) {
  std::vector<const ReplicateRecord*> finished;
  for (const ReplicateRecord& replicate : the_case.replicates) {
    if (replicate.status == Status::kOk) finished.push_back(&replicate);
  }
  return finished;
}

std::optional<StepCounts> step_counts(const CaseRecord& the_case) {
  std::optional<StepCounts> counts;
  for (const ReplicateRecord* replicate : finished_replicates(the_case)) {
    const Series* losses = find_series(replicate->series, "loss");
    if (losses == nullptr || losses->value.empty()) return std::nullopt;
    const std::size_t count = losses->value.size();
    if (!counts) counts = StepCounts{count, count};
    counts = StepCounts{std::min(counts->fewest, count), std::max(counts->most, count)};
  }
  return counts;
}

std::optional<StepCounts> step_counts(const std::vector<const CaseRecord*>& cases) {
  std::optional<StepCounts> all;
  for (const CaseRecord* one : cases) {
    const auto counts = step_counts(*one);
    if (!counts) continue;
    if (!all) all = counts;
    all = StepCounts{std::min(all->fewest, counts->fewest), std::max(all->most, counts->most)};
  }
  return all;
}

void keep_step_columns(CaseRecord& the_case) {
  for (ReplicateRecord& replicate : the_case.replicates) {
    std::erase_if(replicate.series, [](const Series& one) { return one.name != "loss"; });
  }
}

}  // namespace transformeter
