// One interval for each metric, wherever it comes from.
#include "analysis/metric_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace transformeter {
namespace {

Quotient inverse(const Quotient& one) {
  return {1 / one.value, 1 / one.high, 1 / one.low};
}

std::optional<MetricRow> row_of(const AnalyzedCase& one, std::string_view metric, std::string_view statistic) {
  const MetricRow* row = find_metric(one.analysis.metrics, metric, statistic);
  return row == nullptr || !row->value ? std::nullopt : std::optional(*row);
}

bool is_headline_time(const AnalyzedCase& one, const MetricRow& row) {
  const MetricRow* time = headline_time(one);
  return time != nullptr && time->name == row.name && time->statistic == row.statistic;
}

// Of the same work in the same time.
bool is_rate_of_headline(const MetricRow& row) {
  constexpr std::array<std::string_view, 4> kRates{"throughput_samples", "throughput_useful_tokens",
                                                   "throughput_processed_tokens", "throughput_flops"};
  return std::find(kRates.begin(), kRates.end(), row.name) != kRates.end();
}

bool is_of_replicates(const MetricRow& row) {
  return row.interval == IntervalKind::kBetweenReplicates && row.n >= kMinReplicatesToCompare && row.low && row.high;
}

}  // namespace

std::string why_missing(const AnalyzedCase& one, std::string_view metric, std::string_view statistic) {
  const std::string what = statistic.empty() ? std::string(metric) : fmt::format("{} {}", metric, statistic);
  if (!one.is_ok()) return fmt::format("{} is {}", one.label, status_word(*one.record));
  const MetricRow* row = find_metric(one.analysis.metrics, metric, statistic);
  return row == nullptr || row->reason.empty() ? fmt::format("{} has no {}", one.label, what)
                                               : fmt::format("{} has no {}: {}", one.label, what, row->reason);
}

bool is_exact(const MetricRow& row) {
  constexpr std::array<std::string_view, 3> kUnits{"bytes", "nat", "flop"};
  constexpr std::array<std::string_view, 6> kNames{"accuracy",       "macro_f1",       "divergence",
                                                   "divergence_max", "top1_agreement", "padding_share"};
  return std::find(kUnits.begin(), kUnits.end(), row.unit) != kUnits.end() ||
         std::find(kNames.begin(), kNames.end(), row.name) != kNames.end();
}

MetricChange change_of(const CasePair& pair, const SpeedComparison& speed, std::string_view metric,
                       std::string_view statistic) {
  MetricChange change;
  change.before = row_of(*pair.before, metric, statistic);
  change.after = row_of(*pair.after, metric, statistic);
  if (!change.before || !change.after) {
    const AnalyzedCase& lacking = change.before ? *pair.after : *pair.before;
    change.reason = why_missing(lacking, metric, statistic);
    return change;
  }
  const MetricRow& from = *change.before;
  const MetricRow& to = *change.after;
  const bool is_time = is_headline_time(*pair.before, from) && is_headline_time(*pair.after, to);
  if (speed.speed_up && (is_time || is_rate_of_headline(from))) {
    change.ratio = is_time ? inverse(*speed.speed_up) : *speed.speed_up;
    change.has_interval = true;
    return change;
  }
  if (!(*from.value > 0) || !(*to.value > 0)) {
    if (*from.value == *to.value) change.ratio = Quotient{1, 1, 1};
    if (!change.ratio) change.reason = "a ratio needs values above 0";
    return change;
  }
  if (is_of_replicates(from) && is_of_replicates(to)) {
    change.ratio = quotient_of(to, from);
    change.has_interval = true;
    return change;
  }
  const double ratio = *to.value / *from.value;
  change.ratio = Quotient{ratio, ratio, ratio};
  if (is_exact(from)) return change;
  change.reason = is_time ? speed.reason : why_no_quotient(&from, *pair.before, metric);
  if (change.reason.empty()) change.reason = why_no_quotient(&to, *pair.after, metric);
  return change;
}

}  // namespace transformeter
