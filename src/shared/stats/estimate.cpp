// How wide an estimate's interval is.
#include "stats/estimate.h"

#include <algorithm>
#include <cmath>

namespace transformeter {

double lower_end(double low, double smallest) {
  return smallest >= 0 ? std::max(0.0, low) : low;
}

std::optional<double> relative_half_width(const Estimate& estimate) {
  if (!estimate.interval || !std::isfinite(estimate.value)) return std::nullopt;
  // The larger side: an interval of order statistics is not symmetric, and half its length would flatter it.
  const double width = std::max(estimate.interval->high - estimate.value, estimate.value - estimate.interval->low);
  if (!std::isfinite(width)) return std::nullopt;
  if (width <= 0) return 0;
  const double ratio = width / std::fabs(estimate.value);
  if (!std::isfinite(ratio)) return std::nullopt;
  return ratio;
}

}  // namespace transformeter
