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
#include "store/peak_store.h"

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

/// Which peaks are measured although the store has them.
enum class MeasureAgain { kNone, kDisturbed, kAll };

/// What a store should hold of one place.
struct WantedPeaks {
  PeakPlace place;
  std::vector<std::string> quantities;
  MeasureAgain again = MeasureAgain::kNone;
};

/// Whether others kept more of the processors busy meanwhile than a valid case may have beside it (kMaxForeignLoad).
bool is_disturbed(const Peak& peak);

/// Measures what `store` lacks of `wanted`, and what is to be measured again, into it. A disturbed peak gives way to
/// one that is no more disturbed; with kAll to any. Throws as measure_peaks.
void measure_missing_peaks(const Context& context, PeakStore& store, const PeakWorkerOptions& options,
                           const WantedPeaks& wanted);

/// The place of this machine's peaks: `environment` as host/environment.h captures it, with the fingerprint; `build` of
/// a worker.
PeakPlace peak_place(const Json& environment, const Json& build, const std::string& device, int threads);

}  // namespace transformeter
