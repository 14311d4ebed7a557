// Quantiles and tails of the normal and of Student's t distribution.
#pragma once

namespace transformeter {

/// The standard normal's quantile; p outside (0, 1) or NaN gives NaN.
double normal_quantile(double p);

/// P(|Z| ≥ |z|) for a standard normal Z.
double normal_two_sided_p(double z);

/// Student's t quantile for real degrees of freedom > 0; p outside (0, 1), NaN or no freedom gives NaN.
double student_t_quantile(double p, double degrees_of_freedom);

/// P(|T| ≥ |t|); NaN for a NaN or no freedom.
double student_t_two_sided_p(double t, double degrees_of_freedom);

}  // namespace transformeter
