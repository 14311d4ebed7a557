// A straight line through points whose errors differ, as a step's time over its size.
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"

namespace transformeter {

struct LinePoint {
  double x = 0;
  double y = 0;
  double half_width = 0;  // of y's 95 % interval, > 0; where errors are not known, any measure of their proportions
};

struct LineFit {
  Estimate intercept;
  Estimate slope;

  double at(double x) const { return intercept.value + slope.value * x; }
};

/// Weighted least squares, weights 1 ÷ half_width². Each interval is the wider of two: what the points' own intervals
/// make of it (only with `errors_are_known`), and Student's t on n − 2 degrees of freedom with the scatter about the
/// line: points that lie on no line widen it, however exact each is. Nothing for fewer than 3 points, equal x, a
/// half-width that is not positive or values that are not finite.
std::optional<LineFit> fit_line(std::span<const LinePoint> points, bool errors_are_known);

}  // namespace transformeter
