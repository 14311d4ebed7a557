// Welch (1947) on logarithms.
#include "analysis/compare_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/student_t.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

struct LogError {
  double variance = 0;
  double freedom = 0;
};

// Of the logarithm of the row's value: what its own t interval says of its standard error (delta method).
LogError log_error(const MetricRow& row) {
  const double freedom = static_cast<double>(row.n) - 1;
  // A lower end at 0 was cut there, and half the length would claim a smaller error than the t interval had.
  const double half_width = *row.low > 0 ? (*row.high - *row.low) / 2 : *row.high - *row.value;
  const double error = half_width / student_t_quantile(0.975, freedom) / *row.value;
  return {error * error, freedom};
}

std::string why_no_time(const AnalyzedCase& one) {
  if (one.analysis.verdict.level == VerdictLevel::kInvalid) return why_doubted(one);
  return why_no_quotient(headline_time(one), one, "time");
}

// The settings of the workload as the user knows them, then what the worker says of it.
std::string difference_of(const Json& baseline, const Json& candidate) {
  constexpr std::size_t kMaxNamed = 3;
  const Json from = baseline.flatten();
  const Json to = candidate.flatten();
  std::set<std::string> names;
  for (const Json* one : {&from, &to}) {
    for (const auto& [name, value] : one->items()) names.insert(name);
  }
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const Json was = from.value(name, Json());
    const Json is = to.value(name, Json());
    if (was == is || parts.size() == kMaxNamed) continue;
    const auto text = [](const Json& value) { return value.is_null() ? std::string("none") : setting_text(value); };
    parts.push_back(
        fmt::format("{} {} vs. {}", name.substr(std::min<std::size_t>(1, name.size())), text(was), text(is)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json requested_workload(const CaseRecord& one) {
  Json settings = Json::object();
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (term.group != SettingGroup::kWorkload || !one.requested.is_object() || !one.requested.contains(name)) continue;
    settings[name] = one.requested.at(name);
  }
  return settings;
}

Json reported_workload(const CaseRecord& one) {
  Json reported = Json::object();
  for (const char* name : {"workload", "cycle_examples"}) {
    if (one.effective.is_object() && one.effective.contains(name)) reported[name] = one.effective.at(name);
  }
  return reported;
}

SpeedAnswer answer_of(const Quotient& speed_up) {
  const double beyond = 1 + kNoiseThreshold;
  if (speed_up.low > 1 && speed_up.value > beyond) return SpeedAnswer::kFaster;
  if (speed_up.high < 1 && speed_up.value < 1 / beyond) return SpeedAnswer::kSlower;
  return speed_up.low > 1 / beyond && speed_up.high < beyond ? SpeedAnswer::kSame : SpeedAnswer::kUndecided;
}

// "the workloads differ: batch_size 1 vs. 8"; empty for equal workload keys.
std::string workload_difference(const CaseRecord& baseline, const CaseRecord& candidate) {
  if (!baseline.workload_key.empty() && baseline.workload_key == candidate.workload_key) return "";
  std::string difference = difference_of(requested_workload(baseline), requested_workload(candidate));
  if (difference.empty()) difference = difference_of(reported_workload(baseline), reported_workload(candidate));
  return difference.empty() ? "the workloads differ" : "the workloads differ: " + difference;
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

std::string doubt_text(const AnalyzedCase& one) {
  const Verdict& verdict = one.analysis.verdict;
  if (verdict.level == VerdictLevel::kValid) return "";
  std::vector<std::string> words;
  for (const Finding& reason : verdict.reasons) words.push_back(reason.name);
  return fmt::format("{} ({})", name_of(verdict.level), fmt::join(words, ", "));
}

std::string why_doubted(const AnalyzedCase& one) {
  const std::string doubt = doubt_text(one);
  return doubt.empty() ? "" : fmt::format("{} is {}", one.label, doubt);
}

Quotient quotient_of(const MetricRow& baseline, const MetricRow& candidate) {
  const LogError from = log_error(baseline);
  const LogError to = log_error(candidate);
  const double variance = from.variance + to.variance;
  const double spread = from.variance * from.variance / from.freedom + to.variance * to.variance / to.freedom;
  const double freedom = spread > 0 ? variance * variance / spread : from.freedom + to.freedom;
  const double half_width = student_t_quantile(0.975, freedom) * std::sqrt(variance);
  const double quotient = *baseline.value / *candidate.value;
  return {quotient, quotient * std::exp(-half_width), quotient * std::exp(half_width)};
}

std::string why_no_quotient(const MetricRow* row, const AnalyzedCase& one, std::string_view what) {
  if (row == nullptr || !row->value || !(*row->value > 0)) return fmt::format("{} has no {}", one.label, what);
  if (row->interval == IntervalKind::kBetweenReplicates && row->n >= kMinReplicatesToCompare && row->low && row->high) {
    return "";
  }
  const std::vector<ReplicateRecord>& replicates = one.record->replicates;
  const auto measured = static_cast<std::size_t>(std::count_if(
      replicates.begin(), replicates.end(), [](const ReplicateRecord& each) { return each.status == Status::kOk; }));
  if (measured >= kMinReplicatesToCompare) {
    return fmt::format("fewer than {} of the {} replicates of {} have a {}", kMinReplicatesToCompare, measured,
                       one.label, what);
  }
  return fmt::format("a comparison needs at least {0} replicates of each case (--replicates {0})",
                     kMinReplicatesToCompare);
}

std::string why_no_pair(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (!one->is_ok()) return fmt::format("{} is {}", one->label, status_word(*one->record));
  }
  return workload_difference(*baseline.record, *candidate.record);
}

SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  SpeedComparison comparison;
  comparison.reason = why_no_pair(baseline, candidate);
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (comparison.reason.empty()) comparison.reason = why_no_time(*one);
  }
  if (!comparison.reason.empty()) return comparison;
  const MetricRow& baseline_row = *headline_time(baseline);
  const MetricRow& candidate_row = *headline_time(candidate);
  if (baseline_row.name != candidate_row.name || baseline_row.statistic != candidate_row.statistic) {
    comparison.reason = "their times are different metrics";
    return comparison;
  }
  comparison.speed_up = quotient_of(baseline_row, candidate_row);
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (comparison.reason.empty()) comparison.reason = why_doubted(*one);
  }
  if (!comparison.reason.empty()) return comparison;
  comparison.answer = answer_of(*comparison.speed_up);
  if (comparison.answer == SpeedAnswer::kUndecided) comparison.reason = "the interval is too wide to tell";
  return comparison;
}

}  // namespace transformeter
