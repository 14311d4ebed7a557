// Where more examples in a batch bring no more throughput.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/training_findings.h"

namespace transformeter {
namespace {

constexpr std::string_view kPattern = "saturation";

// Whether a batch may be, and whether it must be, within the threshold of every other.
bool may_be_near_best(const TrainingPoint& one, const std::vector<TrainingPoint>& points) {
  return std::all_of(points.begin(), points.end(), [&](const TrainingPoint& other) {
    return may_be_within(one.throughput, other.throughput, kSaturationShare);
  });
}

bool must_be_near_best(const TrainingPoint& one, const std::vector<TrainingPoint>& points) {
  return std::all_of(points.begin(), points.end(), [&](const TrainingPoint& other) {
    return &other == &one || must_be_within(one.throughput, other.throughput, kSaturationShare);
  });
}

// From the smallest batch that must be near the best to the last one in a row.
std::string reach_text(const std::vector<TrainingPoint>& points, std::vector<TrainingPoint>::const_iterator from) {
  const auto beyond = std::find_if_not(from, points.end(),
                                       [&](const TrainingPoint& point) { return must_be_near_best(point, points); });
  const auto last = beyond - 1;
  const std::string near = fmt::format("throughput is within {} of the best", percent_text(kSaturationShare));
  std::string text = last == from ? fmt::format("at {} {}", batch_text(from->batch_size), near)
                                  : fmt::format("from {} to {} {}", batch_text(from->batch_size),
                                                plain_number(last->batch_size), near);
  std::vector<std::string> rates;
  for (const TrainingPoint& point : points) rates.push_back(at_batch(point));
  text += fmt::format(": {}", fmt::join(rates, ", "));
  std::vector<std::string> others;
  for (auto point = points.begin(); point != points.end(); ++point) {
    const bool is_inside = point >= from && point <= last;
    if (!is_inside && may_be_near_best(*point, points)) others.push_back(batch_text(point->batch_size));
  }
  if (!others.empty()) {
    text += fmt::format("; {} may be too, judging by {} interval{}", fmt::join(others, " and "),
                        others.size() == 1 ? "its" : "their", others.size() == 1 ? "" : "s");
  } else if (from == points.begin()) {
    text += "; no smaller batch was measured";
  }
  return text;
}

Advice smaller_than_largest(const TrainingSeries& series, const TrainingPoint& point) {
  const TrainingPoint& largest = series.points.back();
  const EvidenceFigure kept = quotient_figure("throughput", point.throughput, largest.throughput);
  PredictedGain gain{series.rate, kept.value, kept.interval,
                     fmt::format("{} ÷ {}", figure_text(point.throughput), figure_text(largest.throughput)), false};
  return {fmt::format("use {} instead of {}: {} of its throughput", batch_text(point.batch_size),
                      plain_number(largest.batch_size), figure_text(kept)),
          gain};
}

}  // namespace

TrainingFinding saturation_finding(const TrainingSeries& series) {
  const std::vector<TrainingPoint>& points = series.points;
  if (points.size() < 2) {
    return not_determined(kPattern, fmt::format("at least 2 batch sizes are needed; {} can be used", points.size()));
  }
  TrainingFinding finding = not_determined(kPattern, "");
  std::vector<std::string> rates;
  for (const TrainingPoint& point : points) {
    finding.cases.push_back(point.the_case->record->id);
    finding.figures.push_back(point.throughput);
    rates.push_back(at_batch(point));
    if (!point.throughput.interval && finding.reason.empty()) {
      finding.reason = fmt::format("the throughput of {} has no interval", point.the_case->record->id);
    }
  }
  if (!finding.reason.empty()) return finding;
  const auto earliest = std::find_if(points.begin(), points.end(),
                                     [&](const TrainingPoint& point) { return may_be_near_best(point, points); });
  const auto sure = std::find_if(points.begin(), points.end(),
                                 [&](const TrainingPoint& point) { return must_be_near_best(point, points); });
  const std::string threshold = percent_text(kSaturationShare);
  // Where the largest alone must be near the best and a smaller one may be, throughput may as well still rise.
  if (sure == points.end() || (earliest != sure && sure == points.end() - 1)) {
    finding.reason = fmt::format(
        "the intervals overlap too much to tell from which batch size throughput stays within {} of the best: {}",
        threshold, fmt::join(rates, ", "));
    return finding;
  }
  const bool still_rises = sure == points.end() - 1;
  finding.state = still_rises ? FindingState::kAbsent : FindingState::kPresent;
  if (still_rises) {
    finding.statement = fmt::format("throughput still rises by more than {} up to the largest batch measured: {}",
                                    threshold, fmt::join(rates, ", "));
    return finding;
  }
  finding.statement = reach_text(points, sure);
  finding.advice.push_back(smaller_than_largest(series, *sure));
  return finding;
}

}  // namespace transformeter
