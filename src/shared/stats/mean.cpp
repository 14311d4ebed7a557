// The t interval of a mean, moved out on the side of the longer tail.
#include "stats/mean.h"

#include <algorithm>
#include <cmath>

#include "stats/student_t.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

// Of fewer samples the skewness is noise.
constexpr std::size_t kMinSamplesForSkewness = 10;

double skewness(std::span<const double> values, double mean, double population_deviation) {
  if (values.size() < kMinSamplesForSkewness || !(population_deviation > 0)) return 0;
  double sum = 0;
  for (const double value : values) {
    const double z = (value - mean) / population_deviation;
    sum += z * z * z;
  }
  return sum / static_cast<double>(values.size());
}

// Of fewer samples the largest of a normal distribution may exceed its share, too.
constexpr std::size_t kMinSamplesForTail = 100;

bool has_heavy_tail(std::span<const double> values, double mean, double sum_of_squares) {
  constexpr double kLargestShare = 0.1;
  constexpr double kLargestSquare = 25;  // five deviations
  if (values.size() < kMinSamplesForTail) return false;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, (value - mean) * (value - mean));
  return largest > std::max(kLargestShare, kLargestSquare / static_cast<double>(values.size())) * sum_of_squares;
}

}  // namespace

std::optional<Estimate> estimate_mean(std::span<const double> values, double effective_n) {
  const auto summary = summarize(values);
  if (!summary) return std::nullopt;
  const double n = static_cast<double>(summary->n);
  Estimate estimate{summary->mean, std::nullopt, summary->n};
  const double effective = std::clamp(std::isnan(effective_n) ? 1.0 : effective_n, 1.0, n);
  if (!summary->stddev || effective < 2) return estimate;
  estimate.has_heavy_tail = has_heavy_tail(values, summary->mean, *summary->stddev * *summary->stddev * (n - 1));
  if (estimate.has_heavy_tail) return estimate;
  const double population_deviation = *summary->stddev * std::sqrt((n - 1) / n);
  const double standard_error = population_deviation / std::sqrt(effective - 1);
  const double t = student_t_quantile(0.975, effective - 1);
  const double half = t * standard_error;
  // Hall (1992), 3.3: both ends belong this far towards the longer tail. Moving only the end on that side covers 1 to 3
  // points more for lognormal samples than moving both, which trusts a skewness estimated from few samples too much.
  const double skew = skewness(values, summary->mean, population_deviation);
  const double shift = std::clamp(skew * (2 * t * t + 1) / (6 * std::sqrt(effective)) * standard_error, -half, half);
  const double low = summary->mean - half + std::min(0.0, shift);
  estimate.interval = Interval{lower_end(low, summary->min), summary->mean + half + std::max(0.0, shift)};
  return estimate;
}

std::optional<Estimate> estimate_mean(std::span<const double> values) {
  return estimate_mean(values, static_cast<double>(values.size()));
}

}  // namespace transformeter
