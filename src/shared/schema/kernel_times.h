// What kernels that compute one thing took when they were tried.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

struct KernelTrial {
  std::string name;
  double seconds = 0;   // of its fastest call
  std::string refusal;  // why it was left out: it failed, or its outputs differ from the first candidate's

  bool operator==(const KernelTrial&) const = default;
};

/// Adds `seconds: {kernel: s}` of those that ran and `refused: {kernel: why}` of the others.
void add_times(const std::vector<KernelTrial>& trials, Json& json);

}  // namespace transformeter
