// A metric over runs.
#pragma once

#include "plots/picture.h"
#include "report/trend_report.h"

namespace transformeter {

/// A panel for each series with two points or more, those that changed first: a point for each run with its interval,
/// the level before and after each change, and how large it is. Throws Error(kUnsupported) where there is none.
Picture trend_picture(const TrendReport& report);

}  // namespace transformeter
