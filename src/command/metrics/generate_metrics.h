// Rows of the scenario generate: what a request's first token and its further ones take.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/slices.h"

namespace transformeter {

/// `windows` are those of `latency`, one for each of `replicates`; the same requests count here. What the series lack
/// is missing with the reason.
std::vector<MetricRow> generate_metrics(const CaseRecord& the_case, const Slices& slices);

}  // namespace transformeter
