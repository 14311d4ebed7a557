// The verb measure_peak: what the machine can do at most, with the threads that this worker was started with.
#pragma once

#include "base/clock.h"
#include "protocol/messages.h"

namespace transformeter {

/// Throws Error(kUnsupported) for a device that this worker lacks, Error(kProtocol) for an unknown quantity,
/// Error(kOutOfMemory).
Peak measure_peak(const MeasurePeakRequest& request, const Clock& clock);

}  // namespace transformeter
