// Percentiles as order statistics, with intervals that assume nothing about the distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// Fewer independent samples carry no 95 % interval of the median: 1 − 2 · 0.5⁵ = 93.75 %, 1 − 2 · 0.5⁶ = 96.9 %.
inline constexpr std::size_t kMinSamplesForMedianInterval = 6;

/// The smallest n whose largest value exceeds the quantile p ≥ 0.5 with 99 % confidence: ⌈ln 0.01 / ln p⌉, so 44 for
/// p90, 90 for p95, 459 for p99, 4,603 for p99.9. For p < 0.5 as for 1 − p, where the smallest value lies below it.
std::size_t min_samples_for_percentile(double p);

/// The value of rank ⌈p n⌉ for p in (0, 1), and a 95 % interval of order statistics. `effective_n` ≤ n is the number
/// of independent samples that know the quantile as well (effective_n_of_quantile). Nothing when effective_n is below
/// min_samples_for_percentile(p), for p outside the range, or values that are not finite.
std::optional<Estimate> estimate_percentile(std::span<const double> values, double p, double effective_n);

/// The sample median (middle, or mean of the two middle values) with an interval of order statistics; no interval when
/// effective_n < 6. Nothing for an empty series or values that are not finite.
std::optional<Estimate> estimate_median(std::span<const double> values, double effective_n);

/// Ranks (1-based) of the shortest near-symmetric 95 % interval of the quantile p among n sorted values that are
/// worth effective_n; nothing when no two ranks cover enough.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
};
std::optional<RankInterval> quantile_rank_interval(std::size_t n, double p, double effective_n);

}  // namespace transformeter
