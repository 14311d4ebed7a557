// One replicate: a case in a fresh worker of its own, measured in one window or in slices. Between slices the worker is
// parked: it waits for the next message and uses no processor.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "run/cycle_cut.h"
#include "run/expand.h"
#include "schema/outputs.h"
#include "schema/record.h"

namespace transformeter {

struct ReplicateOptions {
  std::filesystem::path worker;
  LaunchHost launch_host;
  Seconds worker_timeout{120};
  std::int64_t slices = 1;                       // planned
  BatchSizes batch_sizes;                        // of all cases of the same texts
  Clock::TimePoint run_started;                  // starts of slices are counted from here
  bool is_compared_last = false;                 // with the end, not after the first slice
  std::shared_ptr<const Outputs> reference;      // the outputs are compared with; null: with none
  Json about_reference = Json::object();         // its key, or why there is none: becomes effective "reference"
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// Of all cases that measure the texts of `planned`.
BatchSizes batch_sizes_of(const std::vector<PlannedCase>& cases, const PlannedCase& planned);

/// One visit: a slice, or the only window.
struct SliceOptions {
  std::int64_t round = 0;      // of the run
  Seconds limit{30};           // of measuring: the window's, or the slice's length
  bool limit_is_hard = false;  // a window is not stretched to ten samples
  Seconds longest{30};         // the limit where six cycles need more, see MeasuringLimit
  Seconds whole{30};           // total over all slices; limits the length of a cycle
};

struct ReplicateOutcome {
  ReplicateRecord record;
  /// What this replicate learned about its case; empty if it failed earlier.
  Json effective = Json::object();
  Json launch = Json::object();
  std::string key;
  std::string workload_key;
  Seconds measured{0};   // measuring proper, of all slices
  Seconds evaluated{0};  // checking and scoring; the rest of the replicate's time is what starting costs
};

/// What a replicate that compares last does in the end.
enum class Comparing { kYes, kNo };

/// Called with everything measured so far, after each block of samples.
using OnSamples = std::function<void(const std::vector<Series>&)>;

/// A fault becomes the record's status and reason; what was measured before it is kept. Throws only
/// Error(kEnvironment), when no worker can be started.
class Replicate {
 public:
  /// `context`, `planned` and `cuts` must outlive it.
  Replicate(const Context& context, const PlannedCase& planned, int index, ReplicateOptions options, CycleCuts& cuts);
  ~Replicate();
  Replicate(const Replicate&) = delete;
  Replicate& operator=(const Replicate&) = delete;

  /// describe → prepare → warm → (cut the cycle) → measure → evaluate. Of a training that goes on in further slices
  /// evaluate comes with the end: it sets the weights back; so it does where outputs are compared last. False when the
  /// replicate is over.
  bool begin(const SliceOptions& slice, const OnSamples& on_samples);
  /// A further slice: warm → measure. False when the replicate is over.
  bool measure_again(const SliceOptions& slice, const OnSamples& on_samples);
  /// (evaluate →) teardown, after which the replicate is over. To be called once it has begun, fault or not.
  void end(Comparing comparing = Comparing::kYes);

  const ReplicateOutcome& outcome() const { return outcome_; }
  std::int64_t slices_done() const { return slices_done_; }

 private:
  class Visits;
  bool start();

  const Context& context_;
  const PlannedCase& planned_;
  ReplicateOptions options_;
  CycleCuts& cuts_;
  ReplicateOutcome outcome_;
  std::int64_t slices_done_ = 0;
  std::unique_ptr<Visits> visits_;  // none before it begins, and where its worker could not be asked to
};

}  // namespace transformeter
