// Which of a store's profiles show where the time of a run's cases goes.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/differences.h"
#include "base/log.h"
#include "store/profile_store.h"

namespace transformeter {

/// A profile of a case of a run.
struct CaseProfile {
  ProfileRecord record;
  std::size_t case_place = 0;           // in AnalyzedRun::cases
  std::vector<Difference> differences;  // what ran otherwise than in the case: kernels, builds
};

/// The latest profile of each case, in reading order; cases that differ only in settings of measuring share one. It
/// belongs to a case if it was made on the same machine and GPU, with the same settings but for those of measuring, of
/// the same model and data by content.
std::vector<CaseProfile> profiles_of_cases(const AnalyzedRun& run, const std::vector<ProfileRecord>& records);

/// What a report shows of a run.
struct RunProfiles {
  std::vector<CaseProfile> shown;  // whole; at most kMostShownProfiles
  std::size_t left_out = 0;        // further cases that have one
};
inline constexpr std::size_t kMostShownProfiles = 4;

/// All profiles of the store, without their nodes; none, and a warning to `log`, where a row is damaged: a run's own
/// results are not. Throws Error(kEnvironment).
std::vector<ProfileRecord> listed_profiles(ProfileStore& store, const Log& log);

/// Those of `listed` that belong to the run's cases. One that is damaged is left out with a warning. Throws
/// Error(kEnvironment).
RunProfiles load_run_profiles(ProfileStore& store, const std::vector<ProfileRecord>& listed, const AnalyzedRun& run,
                              const Log& log);

}  // namespace transformeter
