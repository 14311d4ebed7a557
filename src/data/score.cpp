// Counting of correct labels.
#include "data/score.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {

AccuracyCount& AccuracyCount::operator+=(const AccuracyCount& other) {
  correct += other.correct;
  labelled += other.labelled;
  return *this;
}

std::optional<double> AccuracyCount::ratio() const {
  if (labelled == 0) return std::nullopt;
  return static_cast<double>(correct) / static_cast<double>(labelled);
}

AccuracyCount count_correct(const std::vector<int>& predicted, const std::vector<std::optional<int>>& labels) {
  if (predicted.size() != labels.size()) {
    throw Error(ErrorKind::kInternal, fmt::format("{} predictions for {} labels", predicted.size(), labels.size()));
  }
  AccuracyCount count;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i]) continue;
    ++count.labelled;
    count.correct += predicted[i] == *labels[i];
  }
  return count;
}

}  // namespace transformeter
