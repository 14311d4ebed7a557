// The columns of the terminal's table of cases: fewer than a page's, with half widths in place of intervals.
#pragma once

#include <vector>

#include "report/document.h"

namespace transformeter {

/// Of a run of one scenario: the varying settings (the case's id without any), time with its interval, throughput,
/// accuracy, divergence and MFU where there are any, peak memory, and the result: "ok, VERDICT" or the status. Of
/// requests that make text, times of the first and of each further token, and the rate of the latter.
std::vector<Column> case_columns(const AnalyzedRun& run);

}  // namespace transformeter
