// Work on a device as a piece that is done when its call returns.
#pragma once

#include <functional>

#include "base/clock.h"
#include "device/device.h"

namespace transformeter {

struct SynchronizedWork {
  std::function<void()> run;
  double repeats = 1;  // of the work in one run
};

/// `work` and waiting for the device, which must outlive the result. A device that works behind the host's back is
/// given the work so often at a time that waiting for it is a small part.
SynchronizedWork synchronized_work(const Clock& clock, Device& device, std::function<void()> work);

}  // namespace transformeter
