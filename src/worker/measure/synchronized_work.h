// Wraps device work so that it is finished when the call returns.
#pragma once

#include <functional>

#include "base/clock.h"
#include "device/device.h"

namespace transformeter {

struct SynchronizedWork {
  std::function<void()> run;
  double repeats = 1;  // of the work in one run
};

/// Runs `work` and waits for the device, which must outlive the result. On an asynchronous device the work is repeated
/// so often per call that the cost of waiting is small.
SynchronizedWork synchronized_work(const Clock& clock, Device& device, std::function<void()> work);

}  // namespace transformeter
