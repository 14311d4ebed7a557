// One headline estimate from the replicates of a case (docs/metrics.md, rule on replicates).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "stats/estimate.h"

namespace transformeter {

/// What an interval is over. One process holds no between-process variance, and must say so.
enum class IntervalKind { kNone, kWithinProcess, kBetweenReplicates };

/// "none", "within_process", "between_replicates".
std::string_view name_of(IntervalKind kind);

struct ReplicatedEstimate {
  Estimate estimate;  // n: for kBetweenReplicates the replicates, else the samples of all of them
  IntervalKind kind = IntervalKind::kNone;
};

/// R = 1: the replicate's own estimate. R ≥ 3: mean of the replicates' values with a t interval over them.
/// R = 2: mean of both values; two values would give a t interval 12.7 deviations wide, so the interval is the hull of
/// both within-process intervals, still named `within_process`; none when either lacks one.
/// Nothing for no replicate or a value that is not finite.
std::optional<ReplicatedEstimate> combine_replicates(std::span<const Estimate> replicates);

}  // namespace transformeter
