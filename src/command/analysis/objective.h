// What cases are chosen by, and their figures of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

enum class Objective { kThroughput, kLatency, kMemory, kEnergy, kCost, kAccuracy, kDivergence };

inline constexpr std::array kObjectives{Objective::kThroughput, Objective::kLatency, Objective::kMemory,
                                        Objective::kEnergy,     Objective::kCost,    Objective::kAccuracy,
                                        Objective::kDivergence};

/// "throughput", "latency", "memory", "energy", "cost", "accuracy", "divergence".
std::string_view name_of(Objective objective);
std::vector<std::string> objective_names();
std::optional<Objective> objective_named(std::string_view name);

/// Of throughput and accuracy; of all others less is better.
bool is_higher_better(Objective objective);

/// Accuracy and divergence, which are of the same texts in each replicate.
bool is_score(Objective objective);

/// Which latencies of a group are alike: medians, or means where some cases' samples are batches of several lengths.
enum class LatencyStatistic { kMedian, kMean };
LatencyStatistic latency_statistic_of(const std::vector<const AnalyzedCase*>& cases);

/// The case's figure of any objective but the cost: `throughput_samples` (generate: `throughput_decode_tokens`),
/// `latency`, `peak_rss` (on a GPU `device_process_memory`), `energy`, `accuracy`, `divergence`. Without a value it has
/// a reason. A mean latency over batches of several lengths has the relative interval of the cycle time.
MetricRow objective_row(const AnalyzedCase& one, Objective objective, LatencyStatistic latency);

}  // namespace transformeter
