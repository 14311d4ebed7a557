// From where on a series is steady: warm-up is cut off, drift makes the whole series unusable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace transformeter {

struct SteadyState {
  std::optional<std::size_t> from;        // index of the first steady sample; none: no steady window found
  bool drift = false;                     // what was left after the cut still drifts (then `from` is none)
  std::optional<double> rho;              // corrected_lag1 of the window; none when untested or the window is constant
  bool autocorrelation_untested = false;  // the window has fewer than 20 samples
  double effective_n = 0;                 // effective_n_of_mean of the window; 0 without one
  std::string note;                       // why there is no window, or what was cut; may be empty
};

/// Always: of the first three samples those are cut that exceed 1.5 × the median of what follows each, and lie beyond
/// its scatter (5 robust deviations).
///
/// n ≥ 20: then truncation by MSER (White 1997), at most half of the series, where what it would cut off surely
/// differs from the rest (p < 1e-4, dependence accounted for); for n ≥ 100 on medians of five samples, which lone
/// outliers do not move. Then the rest must not drift (`drifts` in trend.h).
///
/// Empty series and values that are not finite have no steady window. A constant series is steady from 0.
SteadyState find_steady_state(std::span<const double> values);

}  // namespace transformeter
