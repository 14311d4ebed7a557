// Back-to-back calls through the interface that scenarios use, so the virtual call is part of the cost.
#include "machine/timer.h"

#include <algorithm>

namespace transformeter {

TimerCost measure_timer(const Clock& clock, int calls) {
  calls = std::max(calls, 2);
  TimerCost cost;
  const Clock::TimePoint begin = clock.now();
  Clock::TimePoint previous = begin;
  for (int call = 1; call < calls; ++call) {
    const Clock::TimePoint now = clock.now();
    const Seconds step = now - previous;
    if (step.count() > 0 && (!cost.resolution || step < *cost.resolution)) cost.resolution = step;
    previous = now;
  }
  cost.overhead = Seconds(previous - begin) / (calls - 1);
  return cost;
}

}  // namespace transformeter
