// What the peaks of a case's machine say about it.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

/// Why a case has no peaks: none was known when it ran. A store may be moved, so that no path is named.
inline constexpr std::string_view kNoPeaks = "no peaks: run `transformeter peaks` with the same --store before the run";

/// Begins the reason of a share that would exceed 1: the rate that the case reached proves its peak too low. Also the
/// name of the note that says so.
inline constexpr std::string_view kPeakBelowAchieved = "peak_below_achieved";

/// Whether the row is null for that reason.
bool is_below_achieved(const MetricRow& row);

/// Which of the peaks bounds the case, and whether they can be trusted; nothing where a share is missing.
void note_bound(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
