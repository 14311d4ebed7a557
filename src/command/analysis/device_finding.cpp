// Two devices at the same batch sizes.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/training_findings.h"

namespace transformeter {
namespace {

constexpr std::string_view kPattern = "device_crossover";

struct PairedPoint {
  const TrainingPoint* first = nullptr;
  const TrainingPoint* second = nullptr;
};

std::vector<PairedPoint> paired(const TrainingSeries& first, const TrainingSeries& second) {
  std::vector<PairedPoint> pairs;
  for (const TrainingPoint& one : first.points) {
    const auto other = std::find_if(second.points.begin(), second.points.end(),
                                    [&](const TrainingPoint& point) { return point.batch_size == one.batch_size; });
    if (other != second.points.end()) pairs.push_back({&one, &*other});
  }
  return pairs;
}

// 1: the first is faster, -1: the second, 0: not told apart.
int faster(const PairedPoint& pair) {
  const EvidenceFigure& first = pair.first->throughput;
  const EvidenceFigure& second = pair.second->throughput;
  if (is_clearly_less(second, first)) return 1;
  return is_clearly_less(first, second) ? -1 : 0;
}

}  // namespace

TrainingFinding device_finding(const TrainingSeries& first, const TrainingSeries& second) {
  const std::vector<PairedPoint> pairs = paired(first, second);
  if (pairs.empty()) {
    return not_determined(kPattern, fmt::format("{} and {} have no batch size in common", first.device, second.device));
  }
  if (first.rate != second.rate) {
    return not_determined(kPattern,
                          fmt::format("{} has {} and {} {}", first.device, first.rate, second.device, second.rate));
  }
  TrainingFinding finding = not_determined(kPattern, "");
  std::vector<std::string> texts;
  std::vector<std::string> turns;
  bool all_told = true;
  bool any_told = false;
  const PairedPoint* last_told = nullptr;
  for (const PairedPoint& pair : pairs) {
    for (const TrainingPoint* point : {pair.first, pair.second}) {
      finding.cases.push_back(point->the_case->record->id);
      finding.figures.push_back(point->throughput);
    }
    const int now = faster(pair);
    texts.push_back(fmt::format("{}: {} on {}, {} on {}{}", batch_text(pair.first->batch_size),
                                figure_text(pair.first->throughput), first.device, figure_text(pair.second->throughput),
                                second.device, now == 0 ? " (indistinguishable)" : ""));
    all_told = all_told && now != 0;
    if (now == 0) continue;
    any_told = true;
    if (last_told != nullptr && faster(*last_told) != now) {
      turns.push_back(fmt::format("{} is faster up to {}, {} from {}", now > 0 ? second.device : first.device,
                                  batch_text(last_told->first->batch_size), now > 0 ? first.device : second.device,
                                  plain_number(pair.first->batch_size)));
    }
    last_told = &pair;
  }
  if (!any_told || (!all_told && turns.empty())) {
    finding.reason = fmt::format("the intervals overlap or are missing: {}", fmt::join(texts, "; "));
    return finding;
  }
  finding.state = turns.empty() ? FindingState::kAbsent : FindingState::kPresent;
  const std::string answer = turns.empty() ? fmt::format("{} is faster at every common batch size",
                                                         faster(pairs.front()) > 0 ? first.device : second.device)
                                           : fmt::format("{}", fmt::join(turns, "; "));
  finding.statement = fmt::format("{}: {}", answer, fmt::join(texts, "; "));
  return finding;
}

}  // namespace transformeter
