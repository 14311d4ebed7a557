// What the clock itself costs and how fine it is, measured: a sample shorter than a few hundred of either is noise.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/units.h"

namespace transformeter {

struct TimerCost {
  std::optional<Seconds> resolution;  // smallest step seen, so not below the cost of a call; nothing: it never moved
  Seconds overhead{0};                // mean time of one call
};

/// Calls `clock` `calls` (at least 2) times, about 1 ms by default.
TimerCost measure_timer(const Clock& clock, int calls = 20'000);

}  // namespace transformeter
