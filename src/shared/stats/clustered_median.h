// The median of samples that were taken in slices of time, in which neighbours resemble each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/estimate.h"

namespace transformeter {

/// What the pooled samples allow the long-run median to be, where others take the machine away in bursts.
/// Low end: the quantile ½ − h, h = t · s ÷ √N with N − 1 degrees of freedom, s² the variance of the slices' shares of
/// samples below the pooled median (Woodruff 1952, with slices as clusters), N as many of them as are independent. High
/// end: the quantile ½ + h, or ½ ÷ (1 − u) if that is more: bursts that N slices have not met may still hold the share
/// u = 1 − 0.05^(1/N) of the time.
/// Nothing for fewer than two slices, an empty one, or N ≤ 1.
std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices, double independent);

/// The same where all slices are independent.
std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices);

}  // namespace transformeter
