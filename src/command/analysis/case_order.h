// The display order of a run's cases: neighbours differ as little as possible.
#pragma once

#include <cstddef>
#include <vector>

#include "schema/record.h"

namespace transformeter {

/// Indices into `cases`: by model, task and data as planned, then by length, then batch, then the other settings in the
/// order of schema/settings.h. Numbers ascend; words come after numbers, in the order the plan met them.
std::vector<std::size_t> reading_order(const std::vector<CaseRecord>& cases);

}  // namespace transformeter
