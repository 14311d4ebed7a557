// What the phases of an asynchronous device's batches say about its clocks.
#pragma once

#include <optional>
#include <vector>

#include "metrics/case_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

/// Notes when the phases of a batch add up to more than the batch: the two clocks disagree.
void note_phases(const VerdictInput& input, Verdict& verdict);

}  // namespace transformeter
