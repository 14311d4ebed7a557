// Measures further processes of a run's cases until the choice among them is made.
#pragma once

#include <string>

#include "base/context.h"
#include "base/units.h"
#include "cli/stored_choice.h"
#include "run/progress.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {

/// Takes up the one run of `request`, the latest where it names none: measures what is left of its plan, then, again
/// and again, one more process of each case that StoredChoice::undecided_cases names, until it names none or `most` is
/// used up. Progress goes to stderr. A request that names no run names this one from then on. Throws Error as
/// resumed_run and execute.
RunOutcome measure_choice(const Context& context, Store& store, const std::string& store_path, BaselineStore& baselines,
                          ChoiceRequest& request, Seconds most);

}  // namespace transformeter
