// The measuring of `compare --live`: two arms side by side, until their difference is known.
#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "run/live_arms.h"
#include "run/plan.h"
#include "run/prepare_run.h"
#include "run/progress.h"

namespace transformeter {

struct LiveComparison {
  Plan common;  // unsettled; without a time budget it gets one of three minutes for each pair
  ArmSettings before;
  ArmSettings after;
  bool may_cross = false;  // measure arms that answer different questions, too
  IsDecided is_decided;
};

/// What takes the place of the settings' defaults.
std::vector<SettingDefault> live_defaults();

/// Measures both arms in pairs of slices, in fresh processes again and again, with progress on stderr, and stores them
/// as one run, in the plan's store. Throws Error(kBadInput) where the arms answer different questions, for settings
/// that are not the user's to choose here and for devices other than cpu, and as prepare_run.
RunOutcome measure_live(const Context& context, const std::atomic<bool>& interrupt, const LiveComparison& comparison);

}  // namespace transformeter
