// F1 of sets of labels, of all examples or of a resample of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transformeter {

/// Sets of classes in [0, class_count), as sklearn.metrics.f1_score of their indicator matrices (zero_division=0).
class LabelSetF1 {
 public:
  using Sets = std::vector<std::vector<std::int64_t>>;

  /// Unequal sizes, and a class out of range, throw Error(kInternal).
  LabelSetF1(const Sets& predicted, const Sets& labels, std::int64_t class_count);

  /// average="micro": 2 TP ÷ (2 TP + FP + FN) over all classes; 0 where there is no label, true or predicted. Nothing
  /// for no examples. Neither function is thread-safe.
  std::optional<double> micro(std::span<const std::size_t> chosen);
  /// average="macro": the mean of all classes' F1, 0 for one that is neither labelled nor predicted.
  std::optional<double> macro(std::span<const std::size_t> chosen);

 private:
  struct ClassCount {
    std::int64_t correct = 0;
    std::int64_t labelled_or_predicted = 0;  // twice what is both
    double f1() const;
  };

  void count(std::span<const std::size_t> chosen);

  Sets predicted_;
  Sets labels_;
  Sets correct_;  // both
  std::vector<ClassCount> counts_;
};

}  // namespace transformeter
