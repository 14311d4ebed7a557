// A rate as total work over total time: throughput, and anything else that must not be a mean of ratios.
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

/// Σ work / Σ time with the delta method's interval (Cochran 1977, 6.4): the deviations workᵢ − ratio · timeᵢ vary
/// like a mean, and their dependence (effective_n_of_mean) widens it. Samples in order of measurement, of one length.
/// Its weight is Σ time. No interval for fewer than 3 samples, or where the deviations have a heavy tail
/// (stats/mean.h). Nothing for empty or unequal spans, a total time that is not positive, a negative time, or values
/// that are not finite.
std::optional<Estimate> estimate_ratio(std::span<const double> work, std::span<const double> time);

}  // namespace transformeter
