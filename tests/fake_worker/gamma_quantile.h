// Quantiles of the gamma distribution, for latencies with a tail between the normal's and the lognormal's.
#pragma once

namespace transformeter {

/// The quantile p of a gamma distribution with that shape > 0 and scale 1; 0 for p ≤ 0, NaN for p ≥ 1 or a shape that
/// is not positive. Relative error about 1e-12.
double gamma_quantile(double p, double shape);

}  // namespace transformeter
