// Measures throughput of a device without waiting between batches, as a separate kind of sample (measurement rule 1).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "device/device.h"
#include "measure/measuring_loop.h"
#include "measure/sampler.h"
#include "stats/stopping_rule.h"

namespace transformeter {

/// One sample is as many whole cycles as take about a tenth of a second, handed over one unit after another, from the
/// beginning of the first to the end of the last by the device's clock; then the device is waited for. Each goes to
/// `sink` as one value of the series `back_to_back`, whose columns sum up what it processed. `launch(i)` hands unit i
/// to the device, which must have timers.
void measure_back_to_back(const Clock& clock, Device& device, const std::function<void(std::size_t)>& launch,
                          const std::vector<WorkSize>& sizes, const StoppingOptions& stopping, const BlockSink& sink);

}  // namespace transformeter
