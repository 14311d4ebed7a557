// The functions that compute a case's metrics, in the order of all outputs. Each function is defined in the file of its
// name or of its group's; CONTRIBUTING.md says how a metric is added.
#pragma once

#include <array>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/slices.h"
#include "schema/record.h"

namespace transformeter {

/// Increased whenever analyze_case or the format of a summary (metrics/case_summary.h) changes; a test checks this.
/// Summaries of another version are recomputed.
inline constexpr int kAnalysisVersion = 26;

/// Rows of one subject; a metric that cannot be computed is a row without a value that says why. There is at least one
/// slice.
using MetricGroup = std::vector<MetricRow>(const CaseRecord& the_case, const Slices& slices);

/// As the case's scenario has them: times of its units, throughput, what is particular to it.
MetricGroup scenario_metrics;
/// Of a scenario that has latencies, behind them; what the latency is without what disturbed it, never the headline:
/// `undisturbed_latency` and `undisturbed_share`, from the flags of samples (metrics/disturbed_samples.h), on a CPU and
/// with one batch per cycle alone; `quiet_latency`, with one batch per cycle. Missing rows say why.
MetricGroup undisturbed_metrics;
/// An asynchronous device's own time, the host's time to launch work, transfers, and throughput without waiting between
/// batches. No rows where no replicate has the series: its device keeps the host waiting.
MetricGroup device_metrics;
/// One number per process: memory, loading, load of the machine. `first_forward` is null where no sample is flagged as
/// the first pass of its process.
MetricGroup scalar_metrics;
/// peak_reserved and device_process_memory, or why there is none: on a CPU the operating system's figures say it.
MetricGroup device_memory_metrics;
/// Accuracy with Wilson's interval over the examples; macro F1 of the answers of the first replicate that has them,
/// with the bootstrap interval that `score` gives the same answers. Of speech recognition also the error rates of words
/// and characters, likewise.
MetricGroup score_metrics;
/// Of the first replicate that has the loss of each example, with the t interval over them.
MetricGroup log_loss;
/// flops, throughput_flops, mfu, hfu, skipped_share and bandwidth_share. Null with the reason where a model has no
/// formula or the run had no peaks. Shares are at most 1: where a replicate was faster than a peak, or the peak is
/// known to be too low ("exceeded" by another case, or disturbed when it was measured), all shares of that peak are
/// null.
MetricGroup efficiency_metrics;
/// divergence, divergence_max and top1_agreement of the first replicate that was compared, or why there are none.
MetricGroup divergence_metrics;
/// energy, energy_net, energy_per_token and power_mean. Null with the reason where no counter was read, or for too
/// short a time.
MetricGroup energy_metrics;

inline constexpr std::array kMetricGroups{scenario_metrics,      device_metrics,     scalar_metrics,
                                          device_memory_metrics, score_metrics,      log_loss,
                                          efficiency_metrics,    divergence_metrics, energy_metrics};

}  // namespace transformeter
