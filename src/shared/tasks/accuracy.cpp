// Counting right answers.
#include "tasks/accuracy.h"

#include <fmt/format.h>

#include <span>

#include "base/error.h"
#include "stats/macro_f1.h"

namespace transformeter {
namespace {

void check_sizes(std::size_t predicted, std::size_t labels) {
  if (predicted == labels) return;
  throw Error(ErrorKind::kInternal, fmt::format("{} predictions for {} labels", predicted, labels));
}

Score accuracy_score(const AccuracyCount& count, const std::string& units) {
  return share_score("accuracy", units, static_cast<std::size_t>(count.correct),
                     static_cast<std::size_t>(count.labelled));
}

}  // namespace

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
  check_sizes(predicted.size(), labels.size());
  AccuracyCount count;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i]) continue;
    ++count.labelled;
    count.correct += predicted[i] == *labels[i];
  }
  return count;
}

ScoreReport score_classification(const std::vector<int>& predicted, const std::vector<int>& labels,
                                 const StopCheck& check) {
  check_sizes(predicted.size(), labels.size());
  AccuracyCount count;
  count.labelled = static_cast<std::int64_t>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) count.correct += predicted[i] == labels[i];
  ScoreReport report{Task::kSequenceClassification, "accuracy; macro F1 as in scikit-learn", {}, {}};
  report.scores.push_back(accuracy_score(count, "examples"));
  MacroF1 macro_f1(predicted, labels);
  report.scores.push_back(bootstrapped_score(
      "macro_f1", labels.size(), "examples", [&](std::span<const std::size_t> chosen) { return macro_f1.of(chosen); },
      check));
  return report;
}

ScoreReport score_masked_lm(const std::vector<int>& predicted, const std::vector<int>& labels) {
  check_sizes(predicted.size(), labels.size());
  AccuracyCount count;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoLabel) continue;
    ++count.labelled;
    count.correct += predicted[i] == labels[i];
  }
  return {Task::kMaskedLm,
          "accuracy over the positions whose label is not -100",
          {accuracy_score(count, "tokens with a label")},
          {}};
}

}  // namespace transformeter
