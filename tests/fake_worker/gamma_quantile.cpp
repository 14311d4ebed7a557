// The regularised incomplete gamma function, inverted by bisection: slow, exact enough, and without special cases.
#include "fake_worker/gamma_quantile.h"

#include <cmath>
#include <limits>

namespace transformeter {
namespace {

constexpr double kPrecision = 1e-16;
constexpr int kMaxTerms = 10'000;

// P(a, x) by its series (DLMF 8.7.1), which converges quickly for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMaxTerms && std::fabs(term) > kPrecision * std::fabs(sum); ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// 1 - P(a, x) by Legendre's continued fraction (DLMF 8.9.2) in Lentz's way, for larger x.
double upper_by_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return fraction * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

double probability_below(double x, double shape) {
  return x < shape + 1 ? lower_by_series(shape, x) : 1 - upper_by_fraction(shape, x);
}

}  // namespace

double gamma_quantile(double p, double shape) {
  if (!(shape > 0) || !(p < 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p <= 0) return 0;
  double high = shape + 1;
  while (probability_below(high, shape) < p) high *= 2;
  double low = 0;
  while (high - low > kPrecision * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (probability_below(middle, shape) < p ? low : high) = middle;
  }
  return high;
}

}  // namespace transformeter
