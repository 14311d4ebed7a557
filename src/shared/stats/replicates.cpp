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

// The same where none is a ratio, or all weigh as much; else such that plain means and deviations are those of the
// weighted values. Ratios have no sampling variance.
std::vector<Estimate> weighted(std::span<const Estimate> all) {
  std::vector<Estimate> made(all.begin(), all.end());
  const auto is_alike = [&](const Estimate& one) { return !one.weight || one.weight == all.front().weight; };
  if (std::all_of(all.begin(), all.end(), is_alike)) return made;
  double total = 0;
  double sum = 0;
  for (const Estimate& one : all) {
    total += one.weight.value_or(1);
    sum += one.weight.value_or(1) * one.value;
  }
  const double mean = sum / total;
  for (Estimate& one : made) {
    const double share = static_cast<double>(all.size()) * one.weight.value_or(1) / total;
    one.value = mean + share * (one.value - mean);
  }
  return made;
}

// Of the slices of each process. Means count once each, however many slices they are of.
std::vector<Estimate> means_of_processes(std::span<const Estimate> slices) {
  struct Sums {
    double weighted = 0;
    double weights = 0;
    bool is_ratio = true;
  };
  std::map<int, Sums> processes;
  for (const Estimate& slice : slices) {
    Sums& sums = processes[slice.process];
    sums.weighted += slice.weight.value_or(1) * slice.value;
    sums.weights += slice.weight.value_or(1);
    sums.is_ratio = sums.is_ratio && slice.weight;
  }
  std::vector<Estimate> means;
  for (const auto& [process, sums] : processes) {
    means.emplace_back().value = sums.weighted / sums.weights;
    if (sums.is_ratio) means.back().weight = sums.weights;
  }
  return means;
}

std::vector<double> values_of(std::span<const Estimate> estimates) {
  std::vector<double> values;
  for (const Estimate& one : estimates) values.push_back(one.value);
  return values;
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
  combined.estimate.interval = Interval{mean.value - half, mean.value + half};
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

// Weighted values may be negative where no slice is.
ReplicatedEstimate cut_at_zero(ReplicatedEstimate combined, std::span<const Estimate> slices) {
  if (!combined.estimate.interval) return combined;
  const auto smallest = std::min_element(slices.begin(), slices.end(),
                                         [](const Estimate& a, const Estimate& b) { return a.value < b.value; });
  double& low = combined.estimate.interval->low;
  low = lower_end(low, smallest->value);
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
  const std::vector<Estimate> processes = means_of_processes(slices);
  if (processes.size() >= kFewest) {
    const auto mean = estimate_mean(values_of(weighted(processes)));
    if (!mean) return std::nullopt;
    return cut_at_zero({*mean, IntervalKind::kBetweenReplicates}, slices);
  }
  const std::vector<Estimate> counted = weighted(slices);
  const auto mean = estimate_mean(values_of(counted));
  if (!mean) return std::nullopt;
  const auto spread = spread_of(counted);
  if (!spread || counted.size() <= 2) return single_window(*mean, counted);
  return cut_at_zero(over_slices(*mean, counted, *spread), slices);
}

}  // namespace transformeter
