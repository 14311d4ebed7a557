// Scores of classes: accuracy and macro F1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tasks/ignored_label.h"
#include "tasks/score.h"

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

/// Accuracy with Wilson's interval and macro F1 (stats/macro_f1.h) with a bootstrap interval over the examples. Throws
/// Error(kBadInput) for no examples.
ScoreReport score_classification(const std::vector<int>& predicted, const std::vector<int>& labels,
                                 const StopCheck& check = {});

/// Accuracy over positions, as of masked tokens: labels of kNoLabel do not count.
ScoreReport score_masked_lm(const std::vector<int>& predicted, const std::vector<int>& labels);

}  // namespace transformeter
