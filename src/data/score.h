// Task scores from what a model said and what is true.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace transformeter {

/// Counts, so that those of several batches add up.
struct AccuracyCount {
  std::int64_t correct = 0;
  std::int64_t labelled = 0;  // examples with a true label; others do not count

  AccuracyCount& operator+=(const AccuracyCount& other);
  /// correct ÷ labelled, in [0, 1]; nothing when no example has a label.
  std::optional<double> ratio() const;
};

/// The vectors run in parallel; unequal sizes throw Error(kInternal).
AccuracyCount count_correct(const std::vector<int>& predicted, const std::vector<std::optional<int>>& labels);

}  // namespace transformeter
