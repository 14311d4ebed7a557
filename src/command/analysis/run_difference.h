// Two runs side by side: what differs between them, and how results changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/differences.h"
#include "analysis/run_comparison.h"

namespace transformeter {

struct RunDifference {
  RunSelection before;
  RunSelection after;
  std::vector<Difference> differences;   // by their likely effect
  std::optional<RunComparison> results;  // across what each side has one value of, without `changes`
  std::string why_no_results;            // where no case has a partner
};

/// Throws Error(kBadInput) as chosen_cases, and for two times the same selection of a run.
RunDifference difference_of(const RunSelection& before, const RunSelection& after);

}  // namespace transformeter
