// Asking workers what the machine can do at most.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "schema/messages.h"
#include "schema/peak.h"
#include "store/peak_store.h"

namespace transformeter {

struct PeakWorkerOptions {
  std::filesystem::path worker;
  Seconds timeout{120};                          // longest silence
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
  /// Called before disturbed peaks are measured again; false: no quiet moment came. Empty: they are not.
  std::function<bool()> wait_until_quiet;
};

/// With a wait that takes 20 s at most, however often it is called.
PeakWorkerOptions peak_worker_options(const Context& context, std::filesystem::path worker, Seconds timeout,
                                      const std::atomic<bool>* interrupt);

/// What a worker says of itself. Throws Error(kEnvironment) when it cannot be started or fails, Error(kInterrupted).
Described described_worker(const Context& context, const PeakWorkerOptions& options);

/// Measures the quantities one after another in a fresh worker that has place.threads threads; each is handed over as
/// it is done. A quantity that the machine does not have is a record with a reason. Throws as described_worker.
void measure_peaks(const Context& context, const PeakWorkerOptions& options, const PeakPlace& place,
                   const std::vector<std::string>& quantities, const std::function<void(PeakRecord)>& on_measured);

/// What a store should hold of one place.
struct WantedPeaks {
  PeakPlace place;
  std::vector<std::string> quantities;
  bool again = false;  // measured although the store has them
};

/// Whether the background load meanwhile was above what a valid case may have (kMaxForeignLoad).
bool is_disturbed(const Peak& peak);

/// Measures into `store` what it lacks of `wanted`, what was disturbed, and what is to be measured again; what is then
/// disturbed up to twice more, each time after a quiet moment. Warns of peaks that stay so. Throws as measure_peaks.
void measure_missing_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options,
                           const WantedPeaks& wanted);

/// The place of this machine's peaks: `environment` as machine/environment.h captures it, with the fingerprint; `build`
/// of a worker.
PeakPlace peak_place(const Json& environment, const Json& build, const std::string& device, int threads);

}  // namespace transformeter
