// Counting by class. Classes are numbered densely first: a count for each number up to the largest could be endless.
#include "stats/macro_f1.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.h"

namespace transformeter {

MacroF1::MacroF1(const std::vector<int>& predicted, const std::vector<int>& labels) {
  if (predicted.size() != labels.size()) {
    throw Error(ErrorKind::kInternal, fmt::format("{} predictions for {} labels", predicted.size(), labels.size()));
  }
  std::vector<int> classes = labels;
  classes.insert(classes.end(), predicted.begin(), predicted.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  const auto place_of = [&](int one) {
    return static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), one) - classes.begin());
  };
  std::transform(predicted.begin(), predicted.end(), std::back_inserter(predicted_), place_of);
  std::transform(labels.begin(), labels.end(), std::back_inserter(labels_), place_of);
  counts_.resize(classes.size());
}

std::optional<double> MacroF1::of(std::span<const std::size_t> chosen) {
  std::fill(counts_.begin(), counts_.end(), ClassCount{});
  for (const std::size_t i : chosen) {
    ++counts_[labels_[i]].labelled;
    ++counts_[predicted_[i]].predicted;
    counts_[labels_[i]].correct += labels_[i] == predicted_[i];
  }
  double sum = 0;
  std::size_t classes = 0;
  for (const ClassCount& one : counts_) {
    if (one.labelled + one.predicted == 0) continue;
    ++classes;
    sum += 2.0 * static_cast<double>(one.correct) / static_cast<double>(one.labelled + one.predicted);
  }
  if (classes == 0) return std::nullopt;
  return sum / static_cast<double>(classes);
}

std::optional<double> MacroF1::of_all() {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return of(all);
}

}  // namespace transformeter
