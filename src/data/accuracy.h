// Scores of classes: accuracy and macro F1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/score.h"

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

/// The mean of the classes' F1 over all classes that occur among the labels or the predictions, as
/// sklearn.metrics.f1_score(average="macro", zero_division=0): F1 = 2 TP ÷ (2 TP + FP + FN). Nothing for no examples.
/// Classes are not negative; unequal sizes throw Error(kInternal).
std::optional<double> macro_f1(const std::vector<int>& predicted, const std::vector<int>& labels);

/// Accuracy with Wilson's interval and macro F1 with a bootstrap interval over the examples.
ScoreReport score_classification(const std::vector<int>& predicted, const std::vector<int>& labels);

/// Accuracy over positions, as of masked tokens: labels of kIgnoredLabel do not count.
inline constexpr int kIgnoredLabel = -100;  // PyTorch's default for targets to leave out
ScoreReport score_masked_lm(const std::vector<int>& predicted, const std::vector<int>& labels);

}  // namespace transformeter
