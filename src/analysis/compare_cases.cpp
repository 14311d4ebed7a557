// Welch (1947) on logarithms.
#include "analysis/compare_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/student_t.h"

namespace transformeter {
namespace {

struct LogTime {
  double mean = 0;
  double variance = 0;  // of the mean
  double freedom = 0;
};

// What the row's own t interval says of its standard error, carried to the logarithm (delta method).
LogTime log_time(const MetricRow& row) {
  const double freedom = static_cast<double>(row.n) - 1;
  const double half_width = (*row.high - *row.low) / 2;
  const double error = half_width / student_t_quantile(0.975, freedom) / *row.value;
  return {std::log(*row.value), error * error, freedom};
}

std::string why_not_comparable(const AnalyzedCase& one) {
  const MetricRow* time = headline_time(one);
  if (!one.is_ok()) return fmt::format("{} is {}", one.label, status_word(*one.record));
  if (time == nullptr || !time->value || !(*time->value > 0)) return fmt::format("{} has no time", one.label);
  if (one.analysis.verdict.level != VerdictLevel::kValid) {
    return fmt::format("{} is {}", one.label, name_of(one.analysis.verdict.level));
  }
  if (time->interval != IntervalKind::kBetweenReplicates || time->n < kMinReplicatesToCompare || !time->low ||
      !time->high) {
    return fmt::format("comparing needs at least {} replicates of each case", kMinReplicatesToCompare);
  }
  return "";
}

SpeedAnswer answer_of(double speed_up, double low, double high) {
  const double beyond = 1 + kNoiseThreshold;
  if (low > 1 && speed_up > beyond) return SpeedAnswer::kFaster;
  if (high < 1 && speed_up < 1 / beyond) return SpeedAnswer::kSlower;
  return low > 1 / beyond && high < beyond ? SpeedAnswer::kSame : SpeedAnswer::kUndecided;
}

}  // namespace

std::string_view name_of(SpeedAnswer answer) {
  switch (answer) {
    case SpeedAnswer::kFaster:
      return "faster";
    case SpeedAnswer::kSlower:
      return "slower";
    case SpeedAnswer::kSame:
      return "same";
    case SpeedAnswer::kUndecided:
      return "undecided";
  }
  return "undecided";
}

SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  SpeedComparison comparison;
  if (baseline.record->workload_key.empty() || baseline.record->workload_key != candidate.record->workload_key) {
    comparison.reason = "the workloads differ";
    return comparison;
  }
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    comparison.reason = why_not_comparable(*one);
    if (!comparison.reason.empty()) return comparison;
  }
  const MetricRow& baseline_row = *headline_time(baseline);
  const MetricRow& candidate_row = *headline_time(candidate);
  if (baseline_row.name != candidate_row.name || baseline_row.statistic != candidate_row.statistic) {
    comparison.reason = "their times are not of one kind";
    return comparison;
  }
  const LogTime from = log_time(baseline_row);
  const LogTime to = log_time(candidate_row);
  const double variance = from.variance + to.variance;
  const double spread = from.variance * from.variance / from.freedom + to.variance * to.variance / to.freedom;
  const double freedom = spread > 0 ? variance * variance / spread : from.freedom + to.freedom;
  const double half_width = student_t_quantile(0.975, freedom) * std::sqrt(variance);
  const double difference = from.mean - to.mean;
  comparison.speed_up = std::exp(difference);
  comparison.low = std::exp(difference - half_width);
  comparison.high = std::exp(difference + half_width);
  comparison.answer = answer_of(*comparison.speed_up, *comparison.low, *comparison.high);
  if (comparison.answer == SpeedAnswer::kUndecided) comparison.reason = "the interval is too wide to tell";
  return comparison;
}

}  // namespace transformeter
