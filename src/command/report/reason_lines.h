// Why rows of a table have no result, or one to be doubted: the lines under it.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// "b1 fp16; b8 fp16: unsupported: precision fp16: no CPU kernel" for cases that are not ok, "b8 fp32: doubtful:
/// foreign_load: other processes used ..." for those whose verdict has reasons, in reading order. Cases that share
/// everything but their figures share a line, which then has the meanings in place of the figures; beyond a dozen lines
/// the other cases are counted. Pending cases have none.
std::vector<std::string> reason_lines(const AnalyzedRun& run);

/// Which cases of the run a line is about: "all cases", "all measured cases", what three or more of them and no others
/// have in common, e.g. "fp16 (24 cases)", else their labels, or the first ones and how many more there are.
std::string cases_text(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases);

}  // namespace transformeter
