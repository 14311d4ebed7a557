// What a case makes of its machine: operations by formula, held against the peaks measured there.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

/// flops, throughput_flops, mfu, hfu and bandwidth_share; one window for each of `replicates`, which are ok. Null with
/// the reason where a model has no formula or the run had no peaks.
std::vector<MetricRow> efficiency_metrics(const CaseRecord& the_case,
                                          const std::vector<const ReplicateRecord*>& replicates,
                                          const std::vector<SampleWindow>& windows);

/// Which of the peaks bounds the case, and whether they can be trusted; nothing where a share is missing.
void note_bound(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
