// The largest value of a setting with which a case still runs, by trying.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace transformeter {

/// What came of one trial.
enum class Fit {
  kFits,
  kTooLarge,  // memory or the model's shape does not allow it
  kUnclear,   // it failed for another reason, or took too long
};

struct FitTrial {
  std::int64_t value = 0;
  Fit fit = Fit::kUnclear;
};

struct LargestFitOptions {
  std::int64_t smallest = 1;
  std::int64_t largest = 1;  // at least `smallest`
  std::int64_t first = 1;    // where to begin, e.g. by a forecast; between the two
};

struct LargestFit {
  std::vector<FitTrial> trials;           // in their order
  std::optional<std::int64_t> fits;       // the largest that did
  std::optional<std::int64_t> too_large;  // the smallest that did not; nothing: `largest` fits
  std::optional<std::int64_t> changed;    // ran once and did not once; the two are then those nearest to it
  /// The two are neighbours, or `largest` fits, or `smallest` does not, and each came out the same a second time.
  bool is_resolved = false;
};

/// Begins at `first`, goes away from it in steps that double until values on both sides are known, halves the range
/// between them, and tries both ends once more. A trial that is unclear ends it unresolved.
LargestFit find_largest_fit(const LargestFitOptions& options, const std::function<Fit(std::int64_t)>& trial);

}  // namespace transformeter
