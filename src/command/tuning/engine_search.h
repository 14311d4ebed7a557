// The search for one case's settings: races, each against the best so far.
#pragma once

#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "run/prepare_run.h"
#include "run/progress.h"
#include "store/store.h"
#include "tuning/kept_engines.h"
#include "tuning/race.h"
#include "tuning/search_space.h"

namespace transformeter {

struct SearchSetup {
  Json start;  // a point of the plan
  OpenSettings open;
  SearchLimits limits;
  Seconds time;  // of all races
};

/// Races the start against its neighbours, what was better against combinations, first in precision where that is open,
/// then in the settings of the launch, which are few and gain most in small models, then in those of the engine, and at
/// last the best against the start once more. Throws Error(kInterrupted), and what execute throws.
EngineChoice search_engine(const Context& context, Store& store, const PreparedRun& run, const RunnerOptions& options,
                           const SearchSetup& setup, Progress& progress);

}  // namespace transformeter
