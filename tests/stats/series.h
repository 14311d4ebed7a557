// Made-up series for the tests of this layer.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/random.h"

namespace transformeter {

/// A stationary Gaussian AR(1) process with lag-1 correlation `rho`, mean 0 and deviation 1.
inline std::vector<double> ar1(std::size_t n, double rho, RandomStream& random) {
  std::vector<double> values(n);
  double z = random.normal();
  for (double& value : values) {
    z = rho * z + std::sqrt(1 - rho * rho) * random.normal();
    value = z;
  }
  return values;
}

/// exp(sigma · ar1): skewed durations with median 1 and mean exp(sigma² / 2).
inline std::vector<double> lognormal_ar1(std::size_t n, double rho, double sigma, RandomStream& random) {
  std::vector<double> values = ar1(n, rho, random);
  for (double& value : values) value = std::exp(sigma * value);
  return values;
}

}  // namespace transformeter
