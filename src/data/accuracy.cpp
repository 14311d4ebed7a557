// Counting by class.
#include "data/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "base/error.h"

namespace transformeter {
namespace {

void check_sizes(std::size_t predicted, std::size_t labels) {
  if (predicted == labels) return;
  throw Error(ErrorKind::kInternal, fmt::format("{} predictions for {} labels", predicted, labels));
}

struct ClassCount {
  std::int64_t correct = 0;
  std::int64_t labelled = 0;
  std::int64_t predicted = 0;
};

// F1 averaged over the classes that occur in the chosen examples.
std::optional<double> macro_f1_of(const std::vector<int>& predicted, const std::vector<int>& labels,
                                  std::span<const std::size_t> chosen, std::vector<ClassCount>& counts) {
  std::fill(counts.begin(), counts.end(), ClassCount{});
  for (const std::size_t i : chosen) {
    const auto truth = static_cast<std::size_t>(labels[i]);
    const auto answer = static_cast<std::size_t>(predicted[i]);
    ++counts[truth].labelled;
    ++counts[answer].predicted;
    counts[truth].correct += truth == answer;
  }
  double sum = 0;
  std::size_t classes = 0;
  for (const ClassCount& one : counts) {
    if (one.labelled + one.predicted == 0) continue;
    ++classes;
    sum += 2.0 * static_cast<double>(one.correct) / static_cast<double>(one.labelled + one.predicted);
  }
  if (classes == 0) return std::nullopt;
  return sum / static_cast<double>(classes);
}

std::vector<ClassCount> counts_for(const std::vector<int>& predicted, const std::vector<int>& labels) {
  int largest = 0;
  for (const int label : predicted) largest = std::max(largest, label);
  for (const int label : labels) largest = std::max(largest, label);
  return std::vector<ClassCount>(static_cast<std::size_t>(largest) + 1);
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

std::optional<double> macro_f1(const std::vector<int>& predicted, const std::vector<int>& labels) {
  check_sizes(predicted.size(), labels.size());
  std::vector<std::size_t> all(labels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<ClassCount> counts = counts_for(predicted, labels);
  return macro_f1_of(predicted, labels, all, counts);
}

ScoreReport score_classification(const std::vector<int>& predicted, const std::vector<int>& labels) {
  check_sizes(predicted.size(), labels.size());
  AccuracyCount count;
  count.labelled = static_cast<std::int64_t>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) count.correct += predicted[i] == labels[i];
  ScoreReport report{"sequence_classification", "accuracy; macro F1 as scikit-learn's", {}, {}};
  report.scores.push_back(accuracy_score(count, "examples"));
  std::vector<ClassCount> counts = counts_for(predicted, labels);
  const auto statistic = [&](std::span<const std::size_t> chosen) {
    return macro_f1_of(predicted, labels, chosen, counts);
  };
  Score f1;
  f1.name = "macro_f1";
  f1.estimate = {*macro_f1(predicted, labels), {}, labels.size()};
  f1.counts = "examples";
  add_bootstrap_interval(f1, labels.size(), "examples", statistic);
  report.scores.push_back(std::move(f1));
  return report;
}

ScoreReport score_masked_lm(const std::vector<int>& predicted, const std::vector<int>& labels) {
  check_sizes(predicted.size(), labels.size());
  AccuracyCount count;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kIgnoredLabel) continue;
    ++count.labelled;
    count.correct += predicted[i] == labels[i];
  }
  return {"masked_lm",
          "accuracy over the positions whose label is not -100",
          {accuracy_score(count, "tokens with a label")},
          {}};
}

}  // namespace transformeter
