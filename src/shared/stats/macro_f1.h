// Macro F1 of classes, of all examples or of a resample of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transformeter {

/// The mean of the classes' F1 over all classes that occur among the labels or the predictions, as
/// sklearn.metrics.f1_score(average="macro", zero_division=0): F1 = 2 TP ÷ (2 TP + FP + FN). Classes are any numbers.
class MacroF1 {
 public:
  /// Unequal sizes throw Error(kInternal).
  MacroF1(const std::vector<int>& predicted, const std::vector<int>& labels);

  std::size_t size() const { return labels_.size(); }
  /// Of the examples chosen, as indices with repetition; nothing for none. Not for two threads at once.
  std::optional<double> of(std::span<const std::size_t> chosen);
  std::optional<double> of_all();

 private:
  struct ClassCount {
    std::int64_t correct = 0;
    std::int64_t labelled = 0;
    std::int64_t predicted = 0;
  };

  std::vector<std::size_t> predicted_;  // places in counts_
  std::vector<std::size_t> labels_;
  std::vector<ClassCount> counts_;  // one for each class, in order
};

}  // namespace transformeter
