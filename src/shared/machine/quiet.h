// How quiet the machine is right now, seen by a process that wants to run all the time.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/units.h"
#include "machine/noise.h"

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

struct QuietWait {
  Seconds longest{20};                           // then it gives up
  double most_busy = 0;                          // processors that others may keep busy
  Seconds window{1};                             // how long the machine must be that quiet
  const std::atomic<bool>* interrupt = nullptr;  // gives up when set; null: never
  std::function<void(Seconds)> sleep = [](Seconds time) { std::this_thread::sleep_for(time); };
};

/// Sleeps until other processes have left the machine alone for one window. False when it gave up. A machine whose load
/// cannot be read counts as quiet.
bool wait_until_quiet(const Clock& clock, const QuietWait& wait, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
