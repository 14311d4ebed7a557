// Rows of a device that works behind the host's back: what it took itself, what the host took to hand its work over,
// transfers, and throughput without waiting between batches.
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

/// Where the phases of a batch take longer together than the batch: the two clocks do not agree.
void note_phases(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
