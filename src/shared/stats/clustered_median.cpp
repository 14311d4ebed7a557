// Woodruff (1952), "Confidence intervals for medians and other position measures", JASA 47.
#include "stats/clustered_median.h"

#include <algorithm>
#include <cmath>

#include "stats/student_t.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

// A sample at the median counts half.
double share_below(const std::vector<double>& slice, double median) {
  double below = 0;
  for (const double sample : slice) below += sample < median ? 1 : sample == median ? 0.5 : 0;
  return below / static_cast<double>(slice.size());
}

struct PooledSlices {
  std::vector<double> sorted;
  double deviation = 0;  // of the slices' shares of samples below the median

  double quantile(double p) const {
    const double last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::lround(std::clamp(p, 0.0, 1.0) * last))];
  }
};

std::optional<PooledSlices> pool(std::span<const std::vector<double>> slices) {
  PooledSlices pooled;
  for (const std::vector<double>& slice : slices) {
    if (slice.empty()) return std::nullopt;
    pooled.sorted.insert(pooled.sorted.end(), slice.begin(), slice.end());
  }
  if (slices.size() < 2) return std::nullopt;
  std::sort(pooled.sorted.begin(), pooled.sorted.end());
  const double median = pooled.quantile(0.5);
  std::vector<double> shares;
  for (const std::vector<double>& slice : slices) shares.push_back(share_below(slice, median));
  pooled.deviation = summarize(shares)->stddev.value_or(0);
  return pooled;
}

// As quantiles, which may lie below 0 or above 1.
Interval ends(const PooledSlices& pooled, double independent) {
  constexpr double kUnseen = 0.05;  // chance that no slice meets the bursts
  const double error = pooled.deviation / std::sqrt(independent);
  const double half = error > 0 ? student_t_quantile(0.975, independent - 1) * error : 0;
  return {0.5 - half, std::max(0.5 + half, 0.5 / std::pow(kUnseen, 1 / independent))};
}

}  // namespace

std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices) {
  const auto pooled = pool(slices);
  if (!pooled) return std::nullopt;
  const Interval at = ends(*pooled, static_cast<double>(slices.size()));
  return Interval{pooled->quantile(at.low), pooled->quantile(at.high)};
}

std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices, double independent) {
  const auto pooled = pool(slices);
  if (!pooled || !(independent > 1)) return std::nullopt;
  const Interval at = ends(*pooled, std::min(independent, static_cast<double>(slices.size())));
  if (!(at.low >= 0 && at.high <= 1)) return std::nullopt;
  return Interval{pooled->quantile(at.low), pooled->quantile(at.high)};
}

}  // namespace transformeter
