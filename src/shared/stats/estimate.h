// How wide an estimate is, and where its interval ends.
#pragma once

#include <optional>

#include "schema/estimate.h"

namespace transformeter {

/// The lower end of an interval whose samples begin at `smallest`: where none of them is negative, as no time and no
/// count is, the quantity cannot be either, and the end is not below 0.
double lower_end(double low, double smallest);

/// The larger of the two distances from the value to the interval's ends, relative to |value|. 0 for an interval of
/// no width, zero value included; nothing without an interval, for a zero value with a width, or for anything not
/// finite.
std::optional<double> relative_half_width(const Estimate& estimate);

}  // namespace transformeter
