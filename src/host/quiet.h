// How quiet the machine is right now, seen by a process that wants to run all the time.
#pragma once

#include "base/clock.h"
#include "base/units.h"
#include "host/noise.h"

namespace transformeter {

struct QuietReport {
  NoiseReport noise;       // of the window; own time is this process's
  Seconds longest_gap{0};  // between two looks at the clock: how long it was held up at most
  Seconds held_up{0};      // sum of the gaps above kGap
};

/// A gap between two looks at the clock that cannot come from the loop itself.
inline constexpr Seconds kGap{50e-6};

/// Spins on the clock for `length`, on one CPU.
QuietReport watch_quiet(const Clock& clock, Seconds length, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
