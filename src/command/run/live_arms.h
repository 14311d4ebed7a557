// The two arms of a live comparison as one run: each case of both is measured, in turns with its partner.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "run/plan.h"
#include "run/prepare_run.h"

namespace transformeter {

/// {setting, value as typed}
using ArmSettings = std::vector<std::pair<std::string, std::string>>;

/// The baseline of such a run.
Json baseline_of_arms();

/// `common` with the arm's settings in place of its own: settings of cases, and the worker. Throws Error(kBadInput) for
/// others, and as Plan::apply_flag.
Plan plan_of_arm(const Plan& common, const ArmSettings& settings);

/// One side: what it alone has, and its cases.
struct Arm {
  ArmSettings settings;
  PreparedRun run;
};

/// The cases of `before`, then those of `after`, with new ids, each marked by its arm; with the workers of both where
/// these are different programs. Record and environment are those of `before`, settings those of `common`, with what
/// the arms were asked for (kLiveArms).
PreparedRun joined_arms(const Plan& common, Arm before, Arm after);

}  // namespace transformeter
