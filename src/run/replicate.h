// One replicate: one case measured once in a fresh worker.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "protocol/outputs.h"
#include "protocol/record.h"
#include "run/cycle_cut.h"
#include "run/expand.h"

namespace transformeter {

struct ReplicateOptions {
  std::filesystem::path worker;
  LaunchHost launch_host;
  Seconds worker_timeout{120};
  Seconds limit{30};                             // of measuring
  bool limit_is_hard = false;                    // not stretched to ten samples
  Seconds longest{30};                           // the limit where three cycles need more, see MeasuringLimit
  std::int64_t fewest_examples = 1;              // of a cut cycle
  const Outputs* reference = nullptr;            // the outputs are compared with; null: with none
  Json about_reference = Json::object();         // its key, or why there is none: becomes effective "reference"
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

struct ReplicateOutcome {
  ReplicateRecord record;
  /// What this replicate learned about its case; empty if it failed earlier.
  Json effective = Json::object();
  Json launch = Json::object();
  std::string key;
  std::string workload_key;
  Seconds measured{0};   // measuring proper
  Seconds evaluated{0};  // checking and scoring; the rest of the replicate's time is what starting costs
};

/// Called with everything measured so far, after each block of samples.
using OnSamples = std::function<void(const std::vector<Series>&)>;

/// describe → prepare → warm → (cut the cycle) → measure → evaluate → teardown. A fault becomes the record's status and
/// reason; what was measured before it is kept. Throws only Error(kEnvironment), when no worker can be started.
ReplicateOutcome run_replicate(const Context& context, const PlannedCase& planned, int index,
                               const ReplicateOptions& options, CycleCuts& cuts, const OnSamples& on_samples);

}  // namespace transformeter
