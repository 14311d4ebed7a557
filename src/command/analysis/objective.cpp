// One metric for each objective, the same for all cases of a group.
#include "analysis/objective.h"

#include <algorithm>

#include "analysis/metric_change.h"
#include "metrics/case_settings.h"
#include "schema/metric_names.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

bool is_on_gpu(const CaseRecord& record) {
  return text_of_path(record.effective, {"device"}).value_or("").starts_with("cuda");
}

std::string_view metric_of(const AnalyzedCase& one, Objective objective) {
  switch (objective) {
    case Objective::kThroughput:
      return is_generate(one.record->requested) ? "throughput_decode_tokens" : "throughput_samples";
    case Objective::kMemory:
      return is_on_gpu(*one.record) ? "device_process_memory" : "peak_rss";
    case Objective::kLatency:
    case Objective::kEnergy:
    case Objective::kCost:
    case Objective::kAccuracy:
    case Objective::kDivergence:
      break;
  }
  return name_of(objective);
}

// The mean over batches of several lengths is cycle time ÷ batches.
void take_interval_of_cycle(MetricRow& mean, const MetricRow& cycle) {
  if (!mean.value || !cycle.value || !(*cycle.value > 0) || !cycle.low || !cycle.high) return;
  mean.low = *mean.value * *cycle.low / *cycle.value;
  mean.high = *mean.value * *cycle.high / *cycle.value;
  mean.interval = cycle.interval;
  mean.n = cycle.n;
}

MetricRow without_value(const AnalyzedCase& one, std::string_view metric, std::string_view statistic,
                        std::string reason) {
  MetricRow row;
  row.name = metric;
  row.unit = metric_term(metric).unit;
  row.statistic = statistic;
  row.reason = reason.empty() ? why_missing(one, metric, statistic) : std::move(reason);
  return row;
}

}  // namespace

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::kThroughput:
      return "throughput";
    case Objective::kLatency:
      return "latency";
    case Objective::kMemory:
      return "memory";
    case Objective::kEnergy:
      return "energy";
    case Objective::kCost:
      return "cost";
    case Objective::kAccuracy:
      return "accuracy";
    case Objective::kDivergence:
      return "divergence";
  }
  return "throughput";
}

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const Objective objective : kObjectives) names.emplace_back(name_of(objective));
  return names;
}

std::optional<Objective> objective_named(std::string_view name) {
  const auto* const found =
      std::find_if(kObjectives.begin(), kObjectives.end(), [&](Objective one) { return name_of(one) == name; });
  return found == kObjectives.end() ? std::nullopt : std::optional(*found);
}

bool is_higher_better(Objective objective) {
  return objective == Objective::kThroughput || objective == Objective::kAccuracy;
}

bool is_score(Objective objective) {
  return objective == Objective::kAccuracy || objective == Objective::kDivergence;
}

LatencyStatistic latency_statistic_of(const std::vector<const AnalyzedCase*>& cases) {
  const bool has_cycles = std::any_of(
      cases.begin(), cases.end(), [](const AnalyzedCase* one) { return shown_metric(*one, "cycle_time") != nullptr; });
  return has_cycles ? LatencyStatistic::kMean : LatencyStatistic::kMedian;
}

MetricRow objective_row(const AnalyzedCase& one, Objective objective, LatencyStatistic latency) {
  const std::string_view metric = metric_of(one, objective);
  const bool is_latency = objective == Objective::kLatency;
  const std::string_view statistic = !is_latency ? "" : latency == LatencyStatistic::kMean ? "mean" : "median";
  if (objective == Objective::kMemory && is_live(one.record->requested)) {
    return without_value(one, metric, statistic, "workers of a live comparison share the machine's memory");
  }
  const MetricRow* row = one.is_ok() ? find_metric(one.analysis.metrics, metric, statistic) : nullptr;
  if (row == nullptr || !row->value) return without_value(one, metric, statistic, "");
  MetricRow figure = *row;
  const MetricRow* cycle = shown_metric(one, "cycle_time");
  if (is_latency && cycle != nullptr) take_interval_of_cycle(figure, *cycle);
  return figure;
}

}  // namespace transformeter
