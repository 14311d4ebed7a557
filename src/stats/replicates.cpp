// Which interval a case may claim by its number of replicates.
#include "stats/replicates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/mean.h"

namespace transformeter {

std::string_view name_of(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kNone:
      return "none";
    case IntervalKind::kWithinProcess:
      return "within_process";
    case IntervalKind::kBetweenReplicates:
      return "between_replicates";
  }
  return "none";
}

std::optional<ReplicatedEstimate> combine_replicates(std::span<const Estimate> replicates) {
  std::vector<double> values;
  for (const Estimate& replicate : replicates) values.push_back(replicate.value);
  const auto mean = estimate_mean(values);
  if (!mean) return std::nullopt;
  if (values.size() >= 3) return ReplicatedEstimate{*mean, IntervalKind::kBetweenReplicates};

  ReplicatedEstimate combined{Estimate{mean->value, replicates[0].interval, 0}, IntervalKind::kWithinProcess};
  for (const Estimate& replicate : replicates) {
    combined.estimate.n += replicate.n;
    if (!combined.estimate.interval || !replicate.interval) {
      combined.estimate.interval.reset();
      continue;
    }
    combined.estimate.interval->low = std::min(combined.estimate.interval->low, replicate.interval->low);
    combined.estimate.interval->high = std::max(combined.estimate.interval->high, replicate.interval->high);
  }
  if (!combined.estimate.interval) combined.kind = IntervalKind::kNone;
  return combined;
}

}  // namespace transformeter
