// One case of `profile`: asked of a worker, and held against the machine's peaks.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/context.h"
#include "run/prepare_run.h"
#include "run/profile.h"
#include "store/profile_store.h"

namespace transformeter {

/// How it is to be done.
struct ProfilePlanning {
  const ProfileOptions& options;
  const RunnerOptions& asking;
  std::filesystem::path trace;  // of this case; empty: none
  std::string label;
  std::function<void(const Profiling&)> on_progress;
};

/// Nothing but the trace is written. A case that fails does not keep others from being profiled; what cannot be started
/// does: throws Error(kEnvironment).
ProfileRecord profile_planned(const Context& context, const PreparedRun& prepared, const PlannedCase& planned,
                              const ProfilePlanning& planning);

}  // namespace transformeter
