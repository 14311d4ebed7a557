// One headline estimate from the slices and replicates of a case (docs/metrics.md, rule on slices).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "stats/estimate.h"

namespace transformeter {

/// What an interval is over. One window holds neither the machine's slow moods nor what differs between processes, one
/// process not the latter, and must say so.
enum class IntervalKind { kNone, kWithinProcess, kBetweenReplicates, kSingleWindow, kBetweenSlices, kBetweenQuads };

/// "none", "within_process", "between_replicates", "single_window", "between_slices", "between_quads".
std::string_view name_of(IntervalKind kind);

/// Over several slices or processes.
bool is_over_slices(IntervalKind kind);

struct ReplicatedEstimate {
  Estimate estimate;  // n: of processes, slices, or samples of one window
  IntervalKind kind = IntervalKind::kNone;
};

/// Fewer slices, or in less time, do not show a machine's slow moods: a level that changes every ten seconds on average
/// has not changed within 36 s in 3 % of the cases.
inline constexpr std::size_t kFewestSlices = 8;
inline constexpr double kShortestSpreadS = 36;

/// One estimate per slice; `process` tells which are of one process. Ratios count by their weights, so that the value
/// is total ÷ total: below, "mean" is Σ w x ÷ Σ w, and of S values each differs from it by S w (x − mean) ÷ Σ w, as in
/// the ratio estimator's linearized error (Cochran 1977, 6.4). Three or more processes: mean of the processes' means
/// with a t interval over them. Else, of three or more slices that know their start, the mean of their values: ± t
/// √max(s²/S, (s² − v)/S' + v/S) with S − 1 degrees of freedom, where s² is the variance of the values, v what the
/// scatter within slices makes of it, and S' = min(S, 1 + spread ÷ 150 s): what slices differ by beyond their own
/// scatter counts as independent once in 150 s (docs/decisions.md). Fewer than kFewestSlices, or slices not spread over
/// kShortestSpreadS, are still a single window. One slice: its own estimate, a single window. Two: the mean of both;
/// two values would give a t interval 12.7 deviations wide, so the interval is the hull of both windows', still a
/// single window's; none when either lacks one. Nothing for no slice or a value that is not finite.
std::optional<ReplicatedEstimate> combine_slices(std::span<const Estimate> slices);

}  // namespace transformeter
