// Summarizes a run in sentences computed from its metrics. They only claim that one case is faster than another where
// compare_times does.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// Plain text, one sentence or two per element, most important first; never empty.
std::vector<std::string> answers(const AnalyzedRun& run);

/// The case with the least, or the greatest, value of a metric among those that are ok and not invalid; nulls when
/// there is none.
struct BestCase {
  const AnalyzedCase* one = nullptr;
  const MetricRow* row = nullptr;
};
BestCase best_case(const AnalyzedRun& run, const char* metric, bool highest);

}  // namespace transformeter
