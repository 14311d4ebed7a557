// From the blocks that a profiler saw allocated and freed to memory over time.
#pragma once

#include <optional>
#include <vector>

#include "measure/span_tree.h"
#include "schema/profile.h"

namespace transformeter {

/// Of the pass with the highest peak. `live_bytes`: what was allocated when each pass began. Blocks of a pass that were
/// freed in it and not allocated in it were there before. Nothing without a pass.
std::optional<ProfileMemory> memory_over_time(const SpanTree& tree, const std::vector<double>& live_bytes);

}  // namespace transformeter
