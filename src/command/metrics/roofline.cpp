// Computing and reading overlap, so the rest is the time less the larger of the two.
#include "metrics/roofline.h"

#include <algorithm>

namespace transformeter {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kLaunch:
      return "launch";
    case Bound::kHost:
      return "host";
    case Bound::kDevice:
      return "device";
  }
  return "host";
}

Bound bound_of(double compute_share, double memory_share, std::optional<double> launch_share) {
  const double explained = std::max(compute_share, memory_share);
  if (explained < 1 - explained) {
    if (!launch_share) return Bound::kHost;
    return *launch_share >= kLaunchBoundShare ? Bound::kLaunch : Bound::kDevice;
  }
  return compute_share >= memory_share ? Bound::kCompute : Bound::kMemory;
}

}  // namespace transformeter
