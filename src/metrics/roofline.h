// What bounds a case, by a roofline (Williams et al. 2009): the time its products and its memory traffic would take at
// the machine's measured peaks, as shares of the time it took.
#pragma once

#include <optional>
#include <string_view>

namespace transformeter {

enum class Bound { kCompute, kMemory, kLaunch, kHost };

/// "compute", "memory", "launch", "host".
std::string_view name_of(Bound bound);

/// `compute_share` and `memory_share` are at least 0 and may exceed 1. The larger one names the bound where it explains
/// at least half of the time. Else what neither explains is the largest part: the host's on a CPU, launching work on
/// any other device.
Bound bound_of(double compute_share, double memory_share, bool is_cpu);

}  // namespace transformeter
