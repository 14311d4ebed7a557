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
  }
  return "host";
}

Bound bound_of(double compute_share, double memory_share, bool is_cpu) {
  const double explained = std::max(compute_share, memory_share);
  if (explained < 1 - explained) return is_cpu ? Bound::kHost : Bound::kLaunch;
  return compute_share >= memory_share ? Bound::kCompute : Bound::kMemory;
}

}  // namespace transformeter
