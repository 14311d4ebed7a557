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

double quantile_of_sorted(const std::vector<double>& sorted, double p) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(std::clamp(p, 0.0, 1.0) * last))];
}

}  // namespace

std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices, double independent) {
  constexpr double kUnseen = 0.05;  // chance that no slice meets the bursts
  std::vector<double> pooled;
  for (const std::vector<double>& slice : slices) {
    if (slice.empty()) return std::nullopt;
    pooled.insert(pooled.end(), slice.begin(), slice.end());
  }
  if (slices.size() < 2 || !(independent > 1)) return std::nullopt;
  std::sort(pooled.begin(), pooled.end());
  const double median = quantile_of_sorted(pooled, 0.5);
  std::vector<double> shares;
  for (const std::vector<double>& slice : slices) shares.push_back(share_below(slice, median));
  const double deviation = summarize(shares)->stddev.value_or(0);
  const double half = student_t_quantile(0.975, independent - 1) * deviation / std::sqrt(independent);
  const double beyond_bursts = 0.5 / std::pow(kUnseen, 1 / independent);
  return Interval{quantile_of_sorted(pooled, 0.5 - half),
                  quantile_of_sorted(pooled, std::max(0.5 + half, beyond_bursts))};
}

std::optional<Interval> clustered_median_interval(std::span<const std::vector<double>> slices) {
  return clustered_median_interval(slices, static_cast<double>(slices.size()));
}

}  // namespace transformeter
