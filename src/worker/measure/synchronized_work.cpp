// A run takes milliseconds, beside which handing over the last of it and waiting is little.
#include "measure/synchronized_work.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace transformeter {
namespace {

constexpr double kRunS = 0.005;
constexpr double kMaxRepeats = 1000;

}  // namespace

SynchronizedWork synchronized_work(const Clock& clock, Device& device, std::function<void()> work) {
  if (device.make_timer() == nullptr) return {std::move(work), 1};
  work();  // what a first call prepares
  device.synchronize();
  const Clock::TimePoint begin = clock.now();
  work();
  device.synchronize();
  const double one_s = std::max(std::chrono::duration<double>(clock.now() - begin).count(), 1e-9);
  const double repeats = std::clamp(std::ceil(kRunS / one_s), 1.0, kMaxRepeats);
  return {[&device, work = std::move(work), count = static_cast<std::int64_t>(repeats)] {
            for (std::int64_t i = 0; i < count; ++i) work();
            device.synchronize();
          },
          repeats};
}

}  // namespace transformeter
