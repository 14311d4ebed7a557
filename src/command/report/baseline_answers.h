// Summarizes the comparison with a run's baseline in sentences.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// One sentence for each arm that was compared, in reading order: of one pair its figures, of several the geometric
/// mean and the range of the speed-up over the pairs of valid cases, and how many pairs have which answer. Why nothing
/// was compared, where nothing was; no sentence for a run without a baseline.
std::vector<std::string> baseline_answers(const AnalyzedRun& run);

}  // namespace transformeter
