// Forward passes with the profiler and without, for a Profile.
#pragma once

#include <cstddef>
#include <functional>

#include "base/clock.h"
#include "schema/profile.h"

namespace transformeter {

/// What is profiled. A pass is computed when `run` returns, and was warmed up.
struct PassSource {
  std::function<void(std::size_t batch)> run;
  std::size_t batches = 1;  // that passes go through in turn
  std::int64_t streams = 1;
};

/// Half of the unprofiled passes come first and half last, so that what makes a machine slower meanwhile is not taken
/// for the profiler's cost. Throws as profile_with_kineto.
Profile profile_passes(const PassSource& source, const ProfileOptions& options, const Clock& clock);

}  // namespace transformeter
