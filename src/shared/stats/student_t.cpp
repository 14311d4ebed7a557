// Normal quantile by Halley's steps on erfc; t quantile by a bracketed secant on the incomplete beta function.
#include "stats/student_t.h"

#include <cmath>
#include <limits>

#include "stats/incomplete_beta.h"

namespace transformeter {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSqrt2 = 1.4142135623730950488;
constexpr double kSqrtTwoPi = 2.5066282746310005024;

// P(T > t) for t ≥ 0 (Abramowitz and Stegun 26.7.1). Small t goes by the complement, which keeps its digits.
double upper_tail(double t, double nu) {
  const double t2 = t * t;
  if (t2 < nu) return 0.5 - 0.5 * regularized_incomplete_beta(0.5, nu / 2, t2 / (nu + t2));
  return 0.5 * regularized_incomplete_beta(nu / 2, 0.5, nu / (nu + t2));
}

}  // namespace

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return kNan;
  if (p == 0.5) return 0;
  const double tail = p < 0.5 ? p : 1 - p;
  // Abramowitz and Stegun 26.2.23: off by at most 4.5e-4, then refined.
  const double s = std::sqrt(-2 * std::log(tail));
  double x = s - (2.515517 + s * (0.802853 + s * 0.010328)) / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
  for (int i = 0; i < 2; ++i) {
    const double density = std::exp(-x * x / 2) / kSqrtTwoPi;
    const double step = (0.5 * std::erfc(x / kSqrt2) - tail) / density;
    x += step / (1 - x * step / 2);
  }
  return p < 0.5 ? -x : x;
}

double normal_two_sided_p(double z) {
  return std::erfc(std::fabs(z) / kSqrt2);
}

double student_t_quantile(double p, double degrees_of_freedom) {
  if (!(p > 0 && p < 1) || !(degrees_of_freedom > 0)) return kNan;
  if (p == 0.5) return 0;
  if (degrees_of_freedom > 1e7) return normal_quantile(p);
  const double tail = p < 0.5 ? p : 1 - p;
  double low = 0;
  double high = 1;
  while (upper_tail(high, degrees_of_freedom) > tail && high < 1e300) {
    low = high;
    high *= 2;
  }
  // The Illinois variant of false position (Dowell and Jarratt 1971) on the logarithm, which is nearly straight.
  const double target = std::log(tail);
  double at_low = std::log(upper_tail(low, degrees_of_freedom)) - target;
  double at_high = std::log(upper_tail(high, degrees_of_freedom)) - target;
  double t = high;
  bool last_was_low = false;
  for (int i = 0; i < 200 && at_low > 0 && at_high < 0; ++i) {
    const double next = low + (high - low) * at_low / (at_low - at_high);
    const bool settled = std::fabs(next - t) <= 1e-14 * next;
    t = next;
    if (settled || t <= low || t >= high) break;
    const double at_t = std::log(upper_tail(t, degrees_of_freedom)) - target;
    if (at_t > 0) {
      if (i > 0 && last_was_low) at_high /= 2;
      low = t;
      at_low = at_t;
    } else {
      if (i > 0 && !last_was_low) at_low /= 2;
      high = t;
      at_high = at_t;
    }
    last_was_low = at_t > 0;
  }
  return p < 0.5 ? -t : t;
}

double student_t_two_sided_p(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return kNan;
  return std::isinf(t) ? 0 : 2 * upper_tail(std::fabs(t), degrees_of_freedom);
}

}  // namespace transformeter
