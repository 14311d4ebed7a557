// The largest value of a setting with which a case still runs, by trying.
#pragma once

#include <cstdint>
#include <functional>

#include "metrics/largest_case.h"

namespace transformeter {

struct LargestFitOptions {
  std::int64_t smallest = 1;
  std::int64_t largest = 1;  // at least `smallest`
  std::int64_t first = 1;    // where to begin, e.g. by a forecast; between the two
};

/// Begins at `first`, goes away from it in steps that double until values on both sides are known, halves the range
/// between them, and tries both ends once more. A trial that is unclear ends it unresolved.
LargestFit find_largest_fit(const LargestFitOptions& options, const std::function<Fit(std::int64_t)>& trial);

}  // namespace transformeter
