// What the latency is without what disturbed it. Shown beside the headline, never in its place.
#pragma once

#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/slices.h"

namespace transformeter {

/// `undisturbed_latency` and `undisturbed_share`, from the flags of samples (metrics/disturbed_samples.h); on a CPU and
/// with one batch per cycle alone. `quiet_latency`, with one batch per cycle. Missing rows say why.
std::vector<MetricRow> undisturbed_metrics(const CaseRecord& the_case, const Slices& slices);

}  // namespace transformeter
