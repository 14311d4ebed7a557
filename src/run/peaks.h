// Asking workers what the machine can do at most.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "protocol/messages.h"
#include "protocol/peak.h"

namespace transformeter {

struct PeakWorkerOptions {
  std::filesystem::path worker;
  Seconds timeout{120};                          // longest silence
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// What a worker says of itself. Throws Error(kEnvironment) when it cannot be started or fails, Error(kInterrupted).
Described described_worker(const Context& context, const PeakWorkerOptions& options);

/// Measures the quantities one after another in a fresh worker that has place.threads threads; each is handed over as
/// it is done. A quantity that the machine does not have is a record with a reason. Throws as described_worker.
void measure_peaks(const Context& context, const PeakWorkerOptions& options, const PeakPlace& place,
                   const std::vector<std::string>& quantities, const std::function<void(PeakRecord)>& on_measured);

/// The place of this machine's peaks: `environment` as host/environment.h captures it, with the fingerprint; `build` of
/// a worker.
PeakPlace peak_place(const Json& environment, const Json& build, const std::string& device, int threads);

}  // namespace transformeter
