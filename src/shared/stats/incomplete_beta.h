// The regularised incomplete beta function, from which the binomial and Student's t distributions follow.
#pragma once

namespace transformeter {

/// I_x(a, b) for a, b > 0 and x in [0, 1] (clamped), real-valued a and b up to 1e7; relative error about 1e-12 where
/// the result is not tiny, and no underflow before 1e-300. NaN for a NaN or for a, b ≤ 0. Thread-safe.
/// P(Bin(n, p) ≤ k) = I_{1-p}(n − k, k + 1).
double regularized_incomplete_beta(double a, double b, double x);

}  // namespace transformeter
