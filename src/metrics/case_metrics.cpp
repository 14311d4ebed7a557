// Puts a case's analysis together; the parts lie beside this file.
#include "metrics/case_metrics.h"

#include <algorithm>
#include <cmath>

#include "metrics/case_settings.h"
#include "metrics/latency_metrics.h"
#include "metrics/metric_rows.h"
#include "metrics/sample_window.h"
#include "metrics/scalar_metrics.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

// What the worker says it cycled through, or more if the samples show more: a measurement cut short within its first
// cycle shows fewer.
std::size_t batches_per_cycle(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates) {
  const double declared = number_of_path(the_case.effective, {"cycle_batches"}).value_or(1);
  std::size_t batches = declared >= 1 && declared < 1e9 ? static_cast<std::size_t>(declared) : 1;
  for (const ReplicateRecord* replicate : replicates) {
    const Series* latency = find_series(replicate->series, "latency");
    if (latency != nullptr) batches = std::max(batches, batches_in(*latency));
  }
  return batches;
}

void append(std::vector<MetricRow>& rows, std::vector<MetricRow> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

}  // namespace

CaseAnalysis analyze_case(const CaseRecord& the_case) {
  CaseAnalysis analysis;
  analysis.steady_from.resize(the_case.replicates.size());
  if (the_case.replicates.empty()) return analysis;
  std::vector<const ReplicateRecord*> replicates;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < the_case.replicates.size(); ++i) {
    if (the_case.replicates[i].status != Status::kOk) continue;
    replicates.push_back(&the_case.replicates[i]);
    places.push_back(i);
  }

  std::vector<SampleWindow> windows;
  const WindowOptions options{batches_per_cycle(the_case, replicates),
                              number_of_path(the_case.requested, {"warmup"}).has_value()};
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    windows.push_back(sample_window(find_series(replicates[i]->series, "latency"), options));
    analysis.steady_from[places[i]] = windows.back().from;
  }
  const VerdictInput input{the_case, replicates, windows, analysis.metrics};
  if (!replicates.empty()) {
    append(analysis.metrics, latency_metrics(windows));
    append(analysis.metrics, throughput_metrics(windows));
    append(analysis.metrics, scalar_metrics(replicates));
    analysis.metrics.push_back(accuracy_metric(the_case, replicates));
    analysis.metrics.push_back(missing_row({"energy", "ratio"}, "no energy counter is read yet"));
    judge_samples(input, analysis.verdict);
    judge_machine(input, analysis.verdict);
    judge_execution(input, analysis.verdict);
  }
  add_notes(input, analysis.verdict);
  return analysis;
}

const MetricRow* find_metric(const std::vector<MetricRow>& metrics, std::string_view name, std::string_view statistic) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRow& row) {
    return row.name == name && (statistic.empty() || row.statistic == statistic);
  });
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace transformeter
