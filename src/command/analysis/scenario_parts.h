// The cases of a run by scenario, since each scenario has its own columns and metrics.
#pragma once

#include <vector>

#include "analysis/analyzed_run.h"
#include "schema/scenario.h"

namespace transformeter {

struct ScenarioPart {
  Scenario scenario = Scenario::kBatch;
  AnalyzedRun run;  // its cases, in reading order, with the labels of the whole run; the axes vary within the part
};

/// In the order of their first cases; a run of one scenario is one part, a run without cases none.
std::vector<ScenarioPart> by_scenario(const AnalyzedRun& run);

}  // namespace transformeter
