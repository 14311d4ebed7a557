// The verb measure_peak: measures a peak of this machine with this worker's threads.
#pragma once

#include "base/clock.h"
#include "schema/messages.h"

namespace transformeter {

/// Throws Error(kUnsupported) for a device that this worker lacks, Error(kProtocol) for an unknown quantity,
/// Error(kOutOfMemory).
Peak measure_peak(const MeasurePeakRequest& request, const Clock& clock);

}  // namespace transformeter
