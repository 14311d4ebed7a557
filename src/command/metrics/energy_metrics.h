// Joules of the case's energy counter over its measuring window, for each example and each token.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"

namespace transformeter {

/// energy, energy_net, energy_per_token and power_mean; `replicates` are those with status ok. Null with the reason
/// where no counter was read, or for too short a time.
std::vector<MetricRow> energy_metrics(const CaseRecord& the_case,
                                      const std::vector<const ReplicateRecord*>& replicates);

}  // namespace transformeter
