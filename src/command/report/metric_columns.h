// Columns whose cells are figures of cases.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace transformeter {

/// A metric that is a column of a table.
struct MetricHeading {
  const char* metric;
  std::string heading;
};

/// Whether the metric's headline has a value in any case.
bool any_value(const AnalyzedRun& run, const char* metric);

/// The metric's headline of each of `cases`.
Column metric_column(const std::vector<const AnalyzedCase*>& cases, const MetricHeading& metric);

/// The names of `cases`.
Column label_column(const std::vector<const AnalyzedCase*>& cases);

/// Those with a result, in reading order.
std::vector<const AnalyzedCase*> ok_cases(const AnalyzedRun& run);

}  // namespace transformeter
