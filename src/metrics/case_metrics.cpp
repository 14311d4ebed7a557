// Puts a case's analysis together; the parts lie beside this file.
#include "metrics/case_metrics.h"

#include <algorithm>
#include <cmath>

#include "metrics/case_settings.h"
#include "metrics/device_metrics.h"
#include "metrics/divergence_metrics.h"
#include "metrics/efficiency_metrics.h"
#include "metrics/energy_metrics.h"
#include "metrics/generate_metrics.h"
#include "metrics/latency_metrics.h"
#include "metrics/metric_rows.h"
#include "metrics/sample_window.h"
#include "metrics/scalar_metrics.h"
#include "metrics/train_metrics.h"
#include "metrics/verdict_rules.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

// What the worker says it cycled through, or more if the samples show more: a measurement cut short within its first
// cycle shows fewer.
std::size_t batches_per_cycle(const CaseRecord& the_case, const std::vector<const ReplicateRecord*>& replicates) {
  if (!is_batch(the_case.requested)) return 1;  // requests of one length are alike, steps draw new texts
  const double declared = number_of_path(the_case.effective, {"cycle_batches"}).value_or(1);
  std::size_t batches = declared >= 1 && declared < 1e9 ? static_cast<std::size_t>(declared) : 1;
  for (const ReplicateRecord* replicate : replicates) {
    const Series* latency = find_series(replicate->series, "latency");
    if (latency != nullptr) batches = std::max(batches, batches_in(*latency));
  }
  return batches;
}

std::vector<const ReplicateRecord*> ok_replicates(const CaseRecord& the_case) {
  std::vector<const ReplicateRecord*> replicates;
  for (const ReplicateRecord& replicate : the_case.replicates) {
    if (replicate.status == Status::kOk) replicates.push_back(&replicate);
  }
  return replicates;
}

void append(std::vector<MetricRow>& rows, std::vector<MetricRow> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

std::vector<MetricRow> scenario_metrics(const CaseRecord& the_case,
                                        const std::vector<const ReplicateRecord*>& replicates,
                                        const std::vector<SampleWindow>& windows) {
  if (is_generate(the_case.requested)) return generate_metrics(the_case, replicates, windows);
  if (is_train(the_case.requested)) return train_metrics(the_case, replicates, windows);
  return throughput_metrics(windows);
}

}  // namespace

std::vector<SampleWindow> sample_windows(const CaseRecord& the_case) {
  const std::vector<const ReplicateRecord*> replicates = ok_replicates(the_case);
  const SampleWindowOptions options{batches_per_cycle(the_case, replicates),
                                    number_of_path(the_case.requested, {"warmup"}).has_value()};
  std::vector<SampleWindow> windows;
  for (const ReplicateRecord* replicate : replicates) {
    windows.push_back(sample_window(find_series(replicate->series, "latency"), options));
  }
  return windows;
}

CaseAnalysis analyze_case(const CaseRecord& the_case) {
  CaseAnalysis analysis;
  analysis.steady_from.resize(the_case.replicates.size());
  if (the_case.replicates.empty()) return analysis;
  const std::vector<const ReplicateRecord*> replicates = ok_replicates(the_case);
  const std::vector<SampleWindow> windows = sample_windows(the_case);
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    const auto place = static_cast<std::size_t>(replicates[i] - the_case.replicates.data());
    analysis.steady_from[place] = windows[i].from;
  }
  const VerdictInput input{the_case, replicates, windows, analysis.metrics};
  if (!replicates.empty()) {
    append(analysis.metrics, latency_metrics(windows));
    append(analysis.metrics, scenario_metrics(the_case, replicates, windows));
    append(analysis.metrics, device_metrics(replicates, windows));
    append(analysis.metrics, scalar_metrics(replicates));
    append(analysis.metrics, device_memory_metrics(the_case, replicates));
    analysis.metrics.push_back(accuracy_metric(the_case, replicates));
    analysis.metrics.push_back(macro_f1_metric(the_case, replicates));
    append(analysis.metrics, efficiency_metrics(the_case, replicates, windows));
    append(analysis.metrics, divergence_metrics(the_case, replicates));
    append(analysis.metrics, energy_metrics(the_case, replicates));
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
