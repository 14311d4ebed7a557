// Results as chips: words, and a colour that says no more than they do.
#pragma once

#include "analysis/analyzed_run.h"
#include "analysis/compare_cases.h"
#include "report/document.h"

namespace transformeter {

/// "ok, VERDICT" or the status.
Chip result_chip(const AnalyzedCase& one);

/// "faster", "undecided", ...
Chip answer_chip(SpeedAnswer answer);

/// How many cases have which result, in the order of the first of each: "2 ok, valid".
std::vector<Chip> result_counts(const AnalyzedRun& run);

}  // namespace transformeter
