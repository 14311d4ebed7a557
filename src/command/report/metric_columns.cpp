// A cell for each case.
#include "report/metric_columns.h"

#include <algorithm>

namespace transformeter {

bool any_value(const AnalyzedRun& run, const char* metric) {
  return std::any_of(run.cases.begin(), run.cases.end(), [&](const AnalyzedCase& one) {
    const MetricRow* row = shown_metric(one, metric);
    return row != nullptr && row->value;
  });
}

Column metric_column(const std::vector<const AnalyzedCase*>& cases, const MetricHeading& metric) {
  Column column;
  column.heading = metric.heading;
  column.is_number = true;
  for (const AnalyzedCase* one : cases) column.cells.emplace_back(case_figure(*one, shown_metric(*one, metric.metric)));
  return column;
}

Column label_column(const std::vector<const AnalyzedCase*>& cases) {
  Column column;
  column.heading = "case";
  for (const AnalyzedCase* one : cases) column.cells.emplace_back(one->label);
  return column;
}

std::vector<const AnalyzedCase*> ok_cases(const AnalyzedRun& run) {
  std::vector<const AnalyzedCase*> cases;
  for (const AnalyzedCase& one : run.cases) {
    if (one.is_ok()) cases.push_back(&one);
  }
  return cases;
}

}  // namespace transformeter
