// Descriptive statistics of a series, without any claim about what lies behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace transformeter {

struct Summary {
  std::size_t n = 0;
  double mean = 0;
  std::optional<double> stddev;  // n − 1 in the denominator; none for n = 1
  double min = 0;
  double max = 0;
  double median = 0;  // the mean of the two middle values for an even n
  double mad = 0;     // median of |x − median|, not scaled to a normal deviation
  double total = 0;
};

/// Nothing for an empty series or one with a value that is not finite.
std::optional<Summary> summarize(std::span<const double> values);

/// The sample median; `values` is taken by copy because it is reordered. Nothing for an empty series; no NaN allowed.
std::optional<double> median_of(std::vector<double> values);

bool all_finite(std::span<const double> values);

}  // namespace transformeter
