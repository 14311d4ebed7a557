// Metrics of an asynchronous device: its own time, the host's time to launch work, transfers, and throughput without
// waiting between batches.
#pragma once

#include <optional>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

/// `windows` are those of `latency`, one for each of `replicates`; the same samples count here. No rows where no
/// replicate has the series: its device keeps the host waiting.
std::vector<MetricRow> device_metrics(const std::vector<const ReplicateRecord*>& replicates,
                                      const std::vector<SampleWindow>& windows);

/// Notes when the phases of a batch add up to more than the batch: the two clocks disagree.
void note_phases(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
