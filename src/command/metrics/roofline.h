// What bounds a case, by a roofline (Williams et al. 2009): the time its products and its memory traffic would take at
// the machine's measured peaks, as shares of the time it took.
#pragma once

#include <optional>
#include <string_view>

namespace transformeter {

enum class Bound { kCompute, kMemory, kLaunch, kHost, kDevice };

/// "compute", "memory", "launch", "host", "device".
std::string_view name_of(Bound bound);

/// `compute_share` and `memory_share` are at least 0. The larger one names the bound where it explains
/// at least half of the time. Else what neither explains is the largest part: the host's on a CPU, whose `launch_share`
/// is nothing. On any other device it is launching where the host was at it for most of the time, else what the device
/// does besides.
Bound bound_of(double compute_share, double memory_share, std::optional<double> launch_share);

/// Of the latency. A device that waits for its work ends right after the host has handed over the last of it.
inline constexpr double kLaunchBoundShare = 0.8;

}  // namespace transformeter
