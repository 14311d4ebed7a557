// Progress of a run, as reported to whoever displays it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/units.h"
#include "run/budget.h"
#include "schema/missing_replicates.h"
#include "schema/record.h"

namespace transformeter {

/// Where the run is.
struct ProgressPoint {
  std::size_t done = 0;   // slices measured or no longer due; replicates in a run without slices
  std::size_t total = 0;  // planned, including those that a time budget adds later
  int replicate = 0;      // index of the present one
  std::optional<Seconds> budget_left;
  bool counts_slices = false;
};

/// Of one replicate.
struct ProgressSamples {
  std::size_t count = 0;             // measured so far
  std::optional<double> latency_s;   // median of the batches, requests or steps so far
  std::optional<double> half_width;  // larger side of its 95 % interval, relative; nothing while it carries none
  bool is_of_cycle = false;          // the batches differ, so their median is not the case's headline
};

/// How a run ended.
struct RunOutcome {
  std::string run_id;
  std::vector<Status> statuses;  // of the cases that have one, and the faults of single replicates
  PendingReplicates replicates;  // by the records that are stored
  bool interrupted = false;
  bool is_out_of_time = false;  // the time budget left some of them
  bool retries_faults = false;  // as was asked for
};

/// Implemented by the command line. Called from the runner's thread, at most about once a second while measuring.
class Progress {
 public:
  virtual ~Progress() = default;
  /// The run is stored and begins; cases may have a status already. `longest`: an upper bound of the time to measure
  /// the others; nothing where there is none.
  virtual void run_started(const RunRecord& run, const std::optional<MeasuringTime>& longest) = 0;
  /// A worker makes the case's reference, before the case starts.
  virtual void reference_started(const CaseRecord& the_case, const ProgressPoint& point) = 0;
  virtual void case_started(const CaseRecord& the_case, const ProgressPoint& point) = 0;
  virtual void samples_taken(const ProgressSamples& samples) = 0;
  /// The replicate is stored, and is the last of the case's.
  virtual void case_done(const CaseRecord& the_case, const ProgressPoint& point) = 0;
  virtual void run_done(const RunOutcome& outcome) = 0;
};

}  // namespace transformeter
