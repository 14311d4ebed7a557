// Continued fraction (DLMF 8.17.22, evaluated after Lentz) with Loader's saddle-point prefactor.
#include "stats/incomplete_beta.h"

#include <cmath>
#include <limits>

namespace transformeter {
namespace {

// ln Γ(z+1) − ((z + ½) ln z − z + ½ ln 2π). The series needs a large z; smaller ones climb there by recurrence.
// std::lgamma would lose 9 digits at z = 1e6 to cancellation, and writes a global.
double stirling_error(double z) {
  double climbed = 0;
  for (; z < 16; z += 1) climbed += (z + 0.5) * std::log1p(1 / z) - 1;
  const double z2 = z * z;
  return climbed + (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / z2) / z2) / z2) / z2) / z;
}

// x ln(x / m) + m − x without cancellation when x is near m (Loader 2000, "Fast and accurate computation of binomial
// probabilities").
double deviance(double x, double m) {
  const double d = x - m;
  if (std::fabs(d) > 0.1 * (x + m)) return x * std::log(x / m) - d;
  const double v = d / (x + m);
  double sum = d * v;
  double term = 2 * x * v;
  for (int j = 1; j < 1000; ++j) {
    term *= v * v;
    const double next = sum + term / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

// x^a (1−x)^b / B(a, b)
double prefactor(double a, double b, double x) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  const double n = a + b;
  const double exponent =
      stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * (1 - x));
  return std::sqrt(a * b / (kTwoPi * n)) * std::exp(exponent);
}

double continued_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEpsilon = 1e-15;
  const auto guard = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / guard(1 - (a + b) * x / (a + 1));
  double h = d;
  // About √max(a, b) terms are needed on the side of the mean that the caller chooses.
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    h *= d * c;
    if (std::fabs(d * c - 1) < kEpsilon) break;
  }
  return h;
}

}  // namespace

double regularized_incomplete_beta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = prefactor(a, b, x);
  if (x < (a + 1) / (a + b + 2)) return front * continued_fraction(a, b, x) / a;
  return 1 - front * continued_fraction(b, a, 1 - x) / b;
}

}  // namespace transformeter
