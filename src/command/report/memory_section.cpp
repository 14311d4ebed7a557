// Of what the memory of each case is made.
#include "report/metric_columns.h"
#include "report/report_sections.h"

namespace transformeter {

std::vector<Block> memory_section(const SectionInput& input) {
  const std::vector<MetricHeading> metrics{{"peak_rss", "peak RSS"},
                                           {"peak_rss_above_baseline", "peak above start"},
                                           {"peak_rss_load", "peak while loading"},
                                           {"peak_anonymous", "peak anonymous"},
                                           {"pss_at_end", "PSS at end"},
                                           {"peak_allocated", "tensors"},
                                           {"peak_allocated_forecast", "tensors (forecast)"},
                                           {"weight_bytes", "weights"},
                                           {"gradient_bytes", "gradients"},
                                           {"optimizer_bytes", "optimizer"},
                                           {"activation_bytes", "activations"},
                                           {"activation_bytes_forecast", "activations (forecast)"},
                                           {"cache_bytes", "cache"},
                                           {"baseline_rss", "baseline RSS"},
                                           {"page_faults", "page faults/batch"}};
  const std::vector<const AnalyzedCase*> cases = ok_cases(input.run);
  Table table;
  table.caption = "Host memory of the worker process";
  table.columns.push_back(label_column(cases));
  for (const MetricHeading& metric : metrics) table.columns.push_back(metric_column(cases, metric));
  drop_empty_columns(table);
  if (table.columns.size() == 1) return {Paragraph{"No case has a memory measurement."}};
  table.notes = {
      "docs/metrics.md defines each metric. A dash marks a missing value; the JSON output gives the reason."};
  return {std::move(table)};
}

}  // namespace transformeter
