// The mean with its t interval, for independent and for correlated samples.
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// Mean ± t(effective_n − 1) · s_pop / √(effective_n − 1). With effective_n = n this is the textbook interval; with
/// fewer it also undoes the bias of the deviation that correlation brings (Priestley 1981, 5.3). From 10 samples on
/// the side of the longer tail is moved out by Hall's (1992) first-order term of the sample's skewness.
/// The interval of values none of which is negative does not reach below 0.
/// From 100 samples on there is none where one sample's squared deviation exceeds a tenth of their sum, or 25 ÷ n where
/// that is more: its width would be that of one sample, and has_heavy_tail says so (docs/decisions.md).
/// `effective_n` is cut to [1, n]; below 2 there is no interval. Nothing for an empty series or values that are not
/// finite.
std::optional<Estimate> estimate_mean(std::span<const double> values, double effective_n);

/// For independent samples: effective_n = n.
std::optional<Estimate> estimate_mean(std::span<const double> values);

}  // namespace transformeter
