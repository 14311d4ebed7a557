// The measured peaks of machines, kept in a store's file beside the runs. A run holds its own copy of those it is
// held against, so that peaks are no part of a run, of an export or of a merge: they are measured again in seconds.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/log.h"
#include "schema/peak.h"
#include "schema/record.h"

namespace transformeter {

/// Errors and threads as Store.
class PeakStore {
 public:
  virtual ~PeakStore() = default;

  /// Keeps what best_of makes of it and a record of the same place and quantity.
  virtual void keep(const PeakRecord& record) = 0;

  /// Keeps a stored run's `host` and the effective settings of those of its cases that `run` has, whose summaries are
  /// dropped, in one transaction: the run is held against other peaks. Throws Error(kBadInput) when the run or one of
  /// the cases is not there.
  virtual void hold_against(const RunRecord& run) = 0;

  /// Those of every machine that measured into this file, by fingerprint, runtime, device, threads and quantity.
  virtual std::vector<PeakRecord> list() = 0;
};

/// For writing: a missing file is made, an older schema brought up to date. Errors and `log` as open_store's.
std::unique_ptr<PeakStore> open_peak_store(const std::filesystem::path& path, const Log& log = {});

}  // namespace transformeter
