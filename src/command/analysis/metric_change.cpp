// One interval for each metric, wherever it comes from.
#include "analysis/metric_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analysis/baseline_table.h"

namespace transformeter {
namespace {

Quotient inverse(const Quotient& one) {
  return {1 / one.value, 1 / one.high, 1 / one.low};
}

std::optional<MetricRow> row_of(const AnalyzedCase& one, std::string_view metric, std::string_view statistic) {
  const MetricRow* row = one.is_ok() ? find_metric(one.analysis.metrics, metric, statistic) : nullptr;
  return row == nullptr || !row->value ? std::nullopt : std::optional(*row);
}

bool is_headline_time(const AnalyzedCase& one, const MetricRow& row) {
  const MetricRow* time = headline_time(one);
  return time != nullptr && time->name == row.name && time->statistic == row.statistic;
}

bool is_of_replicates(const MetricRow& row) {
  return row.interval == IntervalKind::kBetweenReplicates && row.n >= kMinReplicatesToCompare && row.low && row.high;
}

// Of exact values: from nothing to something is beyond any share.
std::optional<Quotient> exact_ratio(double from, double to) {
  const double ratio = from == to ? 1 : from == 0 ? std::numeric_limits<double>::infinity() : to / from;
  if (from < 0 || to < 0) return std::nullopt;
  return Quotient{ratio, ratio, ratio};
}

// Rows with values above 0.
void set_ratio_of_replicates(const CasePair& pair, MetricChange& change) {
  const double ratio = *change.after->value / *change.before->value;
  change.ratio = Quotient{ratio, ratio, ratio};
  if (is_of_replicates(*change.before) && is_of_replicates(*change.after)) {
    change.ratio = quotient_of(*change.after, *change.before);
    change.has_interval = true;
  } else {
    const std::string what = fmt::format("{} {}", change.before->name, change.before->statistic);
    change.reason = why_no_quotient(&*change.before, *pair.before, what);
    if (change.reason.empty()) change.reason = why_no_quotient(&*change.after, *pair.after, what);
  }
  for (const AnalyzedCase* one : {&*pair.before, &*pair.after}) {
    if (change.reason.empty()) change.reason = why_row_doubted(*one, *change.before);
  }
}

std::string why_other_source(const MetricRow& before, const MetricRow& after) {
  if (before.provenance == after.provenance) return "";
  return fmt::format("{} is {} before and {} after", before.name, before.provenance, after.provenance);
}

}  // namespace

std::string why_missing(const AnalyzedCase& one, std::string_view metric, std::string_view statistic) {
  const std::string what = statistic.empty() ? std::string(metric) : fmt::format("{} {}", metric, statistic);
  if (!one.is_ok()) return why_not_ok(one);
  const MetricRow* row = find_metric(one.analysis.metrics, metric, statistic);
  return row == nullptr || row->reason.empty() ? fmt::format("{} has no {}", one.label, what)
                                               : fmt::format("{} has no {}: {}", one.label, what, row->reason);
}

std::string why_row_doubted(const AnalyzedCase& one, const MetricRow& row) {
  return is_exact(row) || row.unit == "bytes" ? "" : why_doubted(one);
}

bool is_exact(const MetricRow& row) {
  constexpr std::array<std::string_view, 15> kNames{
      "accuracy",     "macro_f1",       "word_error_rate", "character_error_rate", "log_loss",
      "divergence",   "divergence_max", "top1_agreement",  "padding_share",        "flops",
      "weight_bytes", "gradient_bytes", "optimizer_bytes", "cache_bytes",          "trainable_parameters"};
  return std::find(kNames.begin(), kNames.end(), row.name) != kNames.end();
}

MetricChange change_of(const CasePair& pair, const SpeedComparison& speed, std::string_view metric,
                       std::string_view statistic) {
  MetricChange change;
  change.before = row_of(*pair.before, metric, statistic);
  change.after = row_of(*pair.after, metric, statistic);
  if (!change.before || !change.after) {
    change.reason = why_missing(change.before ? *pair.after : *pair.before, metric, statistic);
    return change;
  }
  const MetricRow& from = *change.before;
  const MetricRow& to = *change.after;
  change.reason = why_no_pair(*pair.before, *pair.after);
  if (change.reason.empty()) change.reason = why_other_source(from, to);
  if (change.reason.empty() && from.unit == "bytes" && !is_exact(from)) {
    change.reason = why_other_memory(*pair.before, *pair.after, from.name);
  }
  if (!change.reason.empty()) return change;
  if (is_exact(from)) {
    change.ratio = exact_ratio(*from.value, *to.value);
    return change;
  }
  if (is_headline_time(*pair.before, from) && is_headline_time(*pair.after, to)) {
    if (speed.speed_up) change.ratio = inverse(*speed.speed_up);
    change.has_interval = change.ratio.has_value();
    if (!change.has_interval || speed.is_doubted) change.reason = speed.reason;
    return change;
  }
  if (*from.value > 0 && *to.value > 0) {
    set_ratio_of_replicates(pair, change);
  } else {
    change.reason = "a ratio needs values above 0";
  }
  return change;
}

}  // namespace transformeter
