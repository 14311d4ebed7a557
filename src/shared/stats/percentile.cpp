// Ranks from the binomial distribution, carried over to correlated samples by a real-valued effective n.
#include "stats/percentile.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr double kTotalMiss = 0.05;

// P(fewer than `rank` of the n samples lie at or below the quantile): the count of n samples is read as that of
// `effective` independent ones, with a continuity correction, and is exactly binomial when both are equal.
double probability_below_rank(std::size_t rank, std::size_t n, double p, double effective) {
  const double k = (static_cast<double>(rank) - 0.5) * effective / static_cast<double>(n) - 0.5;
  if (k <= -1) return 0;
  if (k >= effective) return 1;
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::ibeta(effective - k, k + 1, 1 - p, InDouble());  // P(Bin(effective, p) ≤ k)
}

double value_of_rank(std::vector<double>& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

Interval values_of_ranks(std::vector<double>& values, const RankInterval& ranks) {
  const double low = value_of_rank(values, ranks.low);
  // What lies before the low rank is now smaller, and need not be looked at again.
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(ranks.high - 1);
  std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(ranks.low - 1), place, values.end());
  return {low, *place};
}

double clamp_effective(double effective_n, std::size_t n) {
  return std::isnan(effective_n) ? 1.0 : std::clamp(effective_n, 1.0, static_cast<double>(n));
}

}  // namespace

std::size_t min_samples_for_percentile(double p) {
  return static_cast<std::size_t>(std::ceil(std::log(0.01) / std::log(std::max(p, 1 - p))));
}

std::optional<RankInterval> quantile_rank_interval(std::size_t n, double p, double effective_n) {
  if (n == 0 || !(p > 0 && p < 1)) return std::nullopt;
  const double effective = clamp_effective(effective_n, n);
  const auto miss_low = [&](std::size_t rank) { return probability_below_rank(rank, n, p, effective); };
  const auto miss_high = [&](std::size_t rank) { return 1 - probability_below_rank(rank, n, p, effective); };
  if (miss_low(1) > kTotalMiss / 2 || miss_high(n) > kTotalMiss / 2) return std::nullopt;
  // The largest low rank and the smallest high rank that miss with at most 2.5 % each, by bisection.
  std::size_t low = 1;
  for (std::size_t step = n; step > 0; step /= 2) {
    while (low + step <= n && miss_low(low + step) <= kTotalMiss / 2) low += step;
  }
  std::size_t high = n;
  for (std::size_t step = n; step > 0; step /= 2) {
    while (high > step && miss_high(high - step) <= kTotalMiss / 2) high -= step;
  }
  // What one side leaves of the 5 % may let the other move one rank in: without it, steps of whole ranks cover 97 to
  // 99 % for many n.
  if (low < n && miss_low(low + 1) + miss_high(high) <= kTotalMiss) {
    ++low;
  } else if (high > 1 && miss_low(low) + miss_high(high - 1) <= kTotalMiss) {
    --high;
  }
  return RankInterval{low, std::max(low, high)};
}

std::optional<Estimate> estimate_percentile(std::span<const double> values, double p, double effective_n) {
  if (values.empty() || !(p > 0 && p < 1) || !all_finite(values)) return std::nullopt;
  const std::size_t n = values.size();
  const double effective = clamp_effective(effective_n, n);
  if (effective < static_cast<double>(min_samples_for_percentile(p))) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  // 0.9 · 10 must be rank 9, whatever the product's last bit says.
  const double exact_rank = p * static_cast<double>(n);
  const auto rank = static_cast<std::size_t>(std::ceil(exact_rank - 1e-9 * exact_rank));
  Estimate estimate{value_of_rank(copy, std::clamp<std::size_t>(rank, 1, n)), std::nullopt, n};
  if (const auto ranks = quantile_rank_interval(n, p, effective)) estimate.interval = values_of_ranks(copy, *ranks);
  return estimate;
}

std::optional<Estimate> estimate_median(std::span<const double> values, double effective_n) {
  if (values.empty() || !all_finite(values)) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  Estimate estimate{*median_of(copy), std::nullopt, values.size()};
  const double effective = clamp_effective(effective_n, values.size());
  if (effective < kMinSamplesForMedianInterval) return estimate;
  if (const auto ranks = quantile_rank_interval(values.size(), 0.5, effective)) {
    estimate.interval = values_of_ranks(copy, *ranks);
  }
  return estimate;
}

}  // namespace transformeter
