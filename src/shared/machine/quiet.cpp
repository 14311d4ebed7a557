// Spinning rather than sleeping: a sleeper is never preempted.
#include "machine/quiet.h"

#include <algorithm>

namespace transformeter {

QuietReport watch_quiet(const Clock& clock, Seconds length, const SystemFiles& files) {
  QuietReport report;
  const NoiseSnapshot before = take_noise_snapshot({0}, clock, files);
  const Clock::TimePoint begin = clock.now();
  Clock::TimePoint last = begin;
  while (last - begin < length) {
    const Clock::TimePoint now = clock.now();
    const Seconds gap = now - last;
    report.longest_gap = std::max(report.longest_gap, gap);
    if (gap > kGap) report.held_up += gap;
    last = now;
  }
  report.noise = noise_between(before, take_noise_snapshot_again(before, clock, files));
  return report;
}

bool wait_until_quiet(const Clock& clock, const QuietWait& wait, const SystemFiles& files) {
  const Clock::TimePoint begin = clock.now();
  while (clock.now() - begin + wait.window <= wait.longest) {
    if (wait.interrupt != nullptr && wait.interrupt->load()) return false;
    const NoiseSnapshot before = take_noise_snapshot({0}, clock, files);
    wait.sleep(wait.window);
    const auto busy = foreign_processors(noise_between(before, take_noise_snapshot_again(before, clock, files)));
    if (!busy || *busy <= wait.most_busy) return true;
  }
  return false;
}

}  // namespace transformeter
