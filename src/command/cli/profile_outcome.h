// One case of `profile`: asked of a worker, held against the machine's peaks, its files written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analysis/bottlenecks.h"
#include "base/context.h"
#include "base/json.h"
#include "cli/profile_files.h"
#include "run/prepare_run.h"
#include "run/profile.h"
#include "schema/status.h"

namespace transformeter {

struct ProfileOutcome {
  std::string id;     // "c01"
  std::string label;  // its settings in short
  Json requested = Json::object();
  Status status = Status::kOk;
  std::string reason = {};                    // why it has no profile
  std::optional<ProfiledCase> profiled = {};  // where it is ok
  ProfileLimits limits = {};
  std::string no_limits_reason = {};  // why there are none
};

/// How it is to be done.
struct ProfilePlanning {
  const ProfileOptions& options;
  const RunnerOptions& asking;
  ProfileFiles places;  // of this case
  std::string label;
  std::function<void(const Profiling&)> on_progress;
};

/// Of its files the trace alone is written. A case that fails does not keep others from being profiled; what cannot be
/// started does: throws Error(kEnvironment).
ProfileOutcome profile_planned(const Context& context, const PreparedRun& prepared, const PlannedCase& planned,
                               const ProfilePlanning& planning);

}  // namespace transformeter
