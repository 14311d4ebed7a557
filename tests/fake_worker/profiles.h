// What the fake worker says of where time goes.
#pragma once

#include "schema/profile.h"

namespace transformeter {

/// Two passes of 10 ms, 12 ms with the profiler: 9 of these in one product of one module, the rest outside; with a GPU
/// the product is its kernel's and the rest idle. In a pass two instructions for each of 30 million cycles, 15 ms on
/// CPUs, and no count of cache misses. Where a trace is asked for, it is written, with no event.
Profile fake_profile(const ProfileOptions& options, bool on_gpu);

}  // namespace transformeter
