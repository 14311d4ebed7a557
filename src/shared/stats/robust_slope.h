// The slope of a line through values that a few outliers do not turn.
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// The median of the slopes between all pairs, per sample (Theil 1950, Sen 1968), with Sen's interval from the variance
/// of Kendall's S, which is widened by (1 + ρ) / (1 − ρ) of the residuals' lag-1 autocorrelation (von Storch 1995),
/// less its bias and with the caution of cautious_rho. Above 512 values medians of successive values stand for them.
/// Nothing for fewer than 10 values and for values that are not finite.
std::optional<Estimate> robust_slope(std::span<const double> values);

}  // namespace transformeter
