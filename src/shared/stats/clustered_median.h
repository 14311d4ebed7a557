// The median of samples that were taken in slices of time, in which neighbours resemble each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/estimate.h"

namespace transformeter {

/// What the pooled samples allow the long-run median to be, where others take the machine away in bursts.
/// Low end: the quantile ½ − h, h = t · s ÷ √S with S − 1 degrees of freedom, s² the variance of the slices' shares of
/// samples below the pooled median (Woodruff 1952, with slices as clusters). High end: the quantile ½ + h, or ½ ÷ (1 −
/// u) if that is more: bursts that S slices have not met may still hold the share u = 1 − 0.05^(1/S) of the time. No
/// end lies beyond the samples. Nothing for fewer than two slices or an empty one.
std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices);

/// The same where as few as `independent` of the slices are independent. Nothing where an end would lie beyond the
/// samples, which is so below 4.3.
std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices, double independent);

}  // namespace transformeter
