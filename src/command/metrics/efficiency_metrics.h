// What a case makes of its machine: operations by formula, held against the peaks measured there.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

/// Begins the reason of a share that would exceed 1: the rate that the case reached proves its peak too low. Also the
/// name of the note that says so.
inline constexpr std::string_view kPeakBelowAchieved = "peak_below_achieved";

/// Whether the row is null for that reason.
bool is_below_achieved(const MetricRow& row);

/// flops, throughput_flops, mfu, hfu, skipped_share and bandwidth_share; one window for each of `replicates`, which are
/// ok. Null with the reason where a model has no formula or the run had no peaks. Shares are at most 1: where a
/// replicate was faster than a peak, or the peak is known to be too low ("exceeded" by another case, or disturbed when
/// it was measured), all shares of that peak are null.
std::vector<MetricRow> efficiency_metrics(const CaseRecord& the_case,
                                          const std::vector<const ReplicateRecord*>& replicates,
                                          const std::vector<SampleWindow>& windows);

/// Which of the peaks bounds the case, and whether they can be trusted; nothing where a share is missing.
void note_bound(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
