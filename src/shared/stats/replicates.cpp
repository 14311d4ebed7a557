// Which interval a case may claim by its number of slices and processes.
#include "stats/replicates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "stats/mean.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr std::size_t kFewest = 3;

std::vector<double> means_of_processes(std::span<const Estimate> slices) {
  std::map<int, std::pair<double, double>> sums;  // of values, and their number
  for (const Estimate& slice : slices) {
    sums[slice.process].first += slice.value;
    sums[slice.process].second += 1;
  }
  std::vector<double> means;
  for (const auto& [process, sum] : sums) means.push_back(sum.first / sum.second);
  return means;
}

// Of slices that all know their start.
std::optional<double> spread_of(std::span<const Estimate> slices) {
  const auto is_known = [](const Estimate& slice) { return slice.start_s.has_value(); };
  if (!std::all_of(slices.begin(), slices.end(), is_known)) return std::nullopt;
  const auto [first, last] = std::minmax_element(
      slices.begin(), slices.end(), [](const Estimate& a, const Estimate& b) { return *a.start_s < *b.start_s; });
  return *last->start_s - *first->start_s;
}

ReplicatedEstimate over_slices(const Estimate& mean, std::span<const Estimate> slices, double spread_s) {
  constexpr double kIndependentAfterS = 150;
  ReplicatedEstimate combined{{mean.value, std::nullopt, slices.size()}, IntervalKind::kSingleWindow};
  const auto count = static_cast<double>(slices.size());
  double variance = 0;
  double sampling = 0;
  for (const Estimate& slice : slices) {
    variance += (slice.value - mean.value) * (slice.value - mean.value) / (count - 1);
    sampling += slice.sampling_variance / count;
  }
  sampling = std::min(sampling, variance);
  const double independent = std::min(count, 1 + spread_s / kIndependentAfterS);
  const double error = std::max(variance / count, (variance - sampling) / independent + sampling / count);
  const double half = student_t_quantile(0.975, count - 1) * std::sqrt(error);
  const auto smallest = std::min_element(slices.begin(), slices.end(),
                                         [](const Estimate& a, const Estimate& b) { return a.value < b.value; });
  combined.estimate.interval = Interval{lower_end(mean.value - half, smallest->value), mean.value + half};
  if (slices.size() >= kFewestSlices && spread_s >= kShortestSpreadS) combined.kind = IntervalKind::kBetweenSlices;
  return combined;
}

ReplicatedEstimate single_window(const Estimate& mean, std::span<const Estimate> slices) {
  ReplicatedEstimate combined{Estimate{mean.value, slices[0].interval, 0}, IntervalKind::kSingleWindow};
  for (const Estimate& slice : slices) {
    combined.estimate.n += slice.n;
    if (!combined.estimate.interval || !slice.interval) {
      combined.estimate.interval.reset();
      continue;
    }
    combined.estimate.interval->low = std::min(combined.estimate.interval->low, slice.interval->low);
    combined.estimate.interval->high = std::max(combined.estimate.interval->high, slice.interval->high);
  }
  if (!combined.estimate.interval) combined.kind = IntervalKind::kNone;
  return combined;
}

}  // namespace

std::string_view name_of(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kNone:
      return "none";
    case IntervalKind::kWithinProcess:
      return "within_process";
    case IntervalKind::kBetweenReplicates:
      return "between_replicates";
    case IntervalKind::kSingleWindow:
      return "single_window";
    case IntervalKind::kBetweenSlices:
      return "between_slices";
    case IntervalKind::kBetweenQuads:
      return "between_quads";
  }
  return "none";
}

bool is_over_slices(IntervalKind kind) {
  return kind == IntervalKind::kBetweenReplicates || kind == IntervalKind::kBetweenSlices;
}

std::optional<ReplicatedEstimate> combine_slices(std::span<const Estimate> slices) {
  const std::vector<double> processes = means_of_processes(slices);
  if (processes.size() >= kFewest) {
    const auto mean = estimate_mean(processes);
    if (!mean) return std::nullopt;
    return ReplicatedEstimate{*mean, IntervalKind::kBetweenReplicates};
  }
  std::vector<double> values;
  for (const Estimate& slice : slices) values.push_back(slice.value);
  const auto mean = estimate_mean(values);
  if (!mean) return std::nullopt;
  const auto spread = spread_of(slices);
  return spread && slices.size() > 2 ? over_slices(*mean, slices, *spread) : single_window(*mean, slices);
}

}  // namespace transformeter
