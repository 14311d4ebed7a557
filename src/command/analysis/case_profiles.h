// Which of a store's profiles show where the time of a run's cases goes.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analyzed_run.h"
#include "base/log.h"
#include "store/profile_store.h"

namespace transformeter {

/// A profile of a case of a run.
struct CaseProfile {
  ProfileRecord record;
  bool is_of_other_build = false;  // another worker than the run's made it
};

/// The latest profile of each case, in reading order; cases that it is alike of have it once. It is of a case if it was
/// made on the same machine, with the same settings, but for those of measuring, of the same model and data by content.
std::vector<CaseProfile> profiles_of_cases(const AnalyzedRun& run, const std::vector<ProfileRecord>& records);

/// What a report shows of a run.
struct RunProfiles {
  std::vector<CaseProfile> shown;  // whole; at most kMostShownProfiles
  std::size_t left_out = 0;        // further cases that have one
};
inline constexpr std::size_t kMostShownProfiles = 4;

/// Of a damaged profile `log` gets a warning: the run's own results are not. Throws Error(kEnvironment).
RunProfiles load_run_profiles(ProfileStore& store, const AnalyzedRun& run, const Log& log);

}  // namespace transformeter
