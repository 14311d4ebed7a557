// F1 = 2 TP ÷ (labelled + predicted).
#include "stats/label_set_f1.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace transformeter {
namespace {

void sort_sets(LabelSetF1::Sets& sets, std::int64_t class_count) {
  for (std::vector<std::int64_t>& set : sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    if (set.empty() || (set.front() >= 0 && set.back() < class_count)) continue;
    throw Error(ErrorKind::kInternal, fmt::format("a label outside the {} classes", class_count));
  }
}

}  // namespace

double LabelSetF1::ClassCount::f1() const {
  if (labelled_or_predicted == 0) return 0;
  return 2 * static_cast<double>(correct) / static_cast<double>(labelled_or_predicted);
}

LabelSetF1::LabelSetF1(const Sets& predicted, const Sets& labels, std::int64_t class_count)
    : predicted_(predicted), labels_(labels), correct_(labels.size()), counts_(static_cast<std::size_t>(class_count)) {
  if (predicted.size() != labels.size()) {
    throw Error(ErrorKind::kInternal, fmt::format("{} predictions for {} label sets", predicted.size(), labels.size()));
  }
  sort_sets(predicted_, class_count);
  sort_sets(labels_, class_count);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    std::set_intersection(labels_[i].begin(), labels_[i].end(), predicted_[i].begin(), predicted_[i].end(),
                          std::back_inserter(correct_[i]));
  }
}

void LabelSetF1::count(std::span<const std::size_t> chosen) {
  std::fill(counts_.begin(), counts_.end(), ClassCount{});
  for (const std::size_t i : chosen) {
    for (const std::int64_t one : labels_[i]) ++counts_[static_cast<std::size_t>(one)].labelled_or_predicted;
    for (const std::int64_t one : predicted_[i]) ++counts_[static_cast<std::size_t>(one)].labelled_or_predicted;
    for (const std::int64_t one : correct_[i]) ++counts_[static_cast<std::size_t>(one)].correct;
  }
}

std::optional<double> LabelSetF1::micro(std::span<const std::size_t> chosen) {
  if (chosen.empty()) return std::nullopt;
  count(chosen);
  ClassCount all;
  for (const ClassCount& one : counts_) {
    all.correct += one.correct;
    all.labelled_or_predicted += one.labelled_or_predicted;
  }
  return all.f1();
}

std::optional<double> LabelSetF1::macro(std::span<const std::size_t> chosen) {
  if (chosen.empty() || counts_.empty()) return std::nullopt;
  count(chosen);
  double sum = 0;
  for (const ClassCount& one : counts_) sum += one.f1();
  return sum / static_cast<double>(counts_.size());
}

}  // namespace transformeter
