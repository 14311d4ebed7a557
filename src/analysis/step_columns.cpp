// Columns are read as they were stored, warm-up by its flag.
#include "analysis/step_columns.h"

#include <algorithm>
#include <numeric>

#include "stats/summary.h"

namespace transformeter {

std::vector<const ReplicateRecord*> finished_replicates(const CaseRecord& the_case) {
  std::vector<const ReplicateRecord*> finished;
  for (const ReplicateRecord& replicate : the_case.replicates) {
    if (replicate.status == Status::kOk) finished.push_back(&replicate);
  }
  return finished;
}

std::optional<StepExamples> step_examples(const CaseRecord& the_case) {
  std::vector<double> examples;
  for (const ReplicateRecord* replicate : finished_replicates(the_case)) {
    const Series* steps = find_series(replicate->series, "latency");
    if (steps == nullptr) continue;
    const bool has_flags = steps->flags.size() == steps->examples.size();
    for (std::size_t i = 0; i < steps->examples.size(); ++i) {
      if (has_flags && (steps->flags[i] & kSampleWarmup) != 0) continue;
      examples.push_back(static_cast<double>(steps->examples[i]));
    }
  }
  const auto median = median_of(examples);
  if (!median || !(*median > 0)) return std::nullopt;
  const double sum = std::accumulate(examples.begin(), examples.end(), 0.0);
  return StepExamples{*median, sum / static_cast<double>(examples.size())};
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
    std::erase_if(replicate.series, [](const Series& one) { return one.name != "latency" && one.name != "loss"; });
  }
}

}  // namespace transformeter
