// What cases cost against what they give.
#pragma once

#include "plots/picture.h"
#include "report/cost_report.h"

namespace transformeter {

/// For each group with two costs or more a panel each for accuracy (or F1), where two cases have it, and for the
/// compute of a sample, where models differ in it; without either, for the time. Throws Error(kUnsupported) where there
/// is none.
Picture cost_picture(const CostReport& report);

}  // namespace transformeter
