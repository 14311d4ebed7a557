// Which row stands for what.
#include "analysis/analyzed_run.h"

#include <fmt/format.h>

#include "analysis/baseline_table.h"
#include "analysis/case_label.h"
#include "analysis/case_order.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"

namespace transformeter {

AnalyzedRun analyze_run(const RunRecord& run, const std::optional<Json>& baseline) {
  AnalyzedRun analyzed;
  analyzed.run = &run;
  analyzed.axes = varying_settings(run.cases);
  analyzed.following = following_settings(run.cases);
  analyzed.baseline = baseline ? baseline : planned_baseline(run);
  for (const std::size_t i : reading_order(run.cases)) {
    const CaseRecord& record = run.cases[i];
    analyzed.cases.push_back(
        {&record, analysis_of(record, MetricRows::kHeadlines), short_label(record, analyzed.axes)});
  }
  return analyzed;
}

const MetricRow* shown_metric(const AnalyzedCase& the_case, std::string_view name) {
  return find_metric(the_case.analysis.metrics, name, "");
}

const MetricRow* headline_time(const AnalyzedCase& the_case) {
  const MetricRow* cycle = shown_metric(the_case, "cycle_time");
  return cycle != nullptr ? cycle : find_metric(the_case.analysis.metrics, "latency", "median");
}

std::optional<std::string> weights_source(const CaseRecord& the_case) {
  // The second is what a worker without weights says.
  for (const char* place : {"/model/weights", "/weights_source"}) {
    const Json::json_pointer pointer(place);
    const Json& effective = the_case.effective;
    if (effective.is_object() && effective.contains(pointer) && effective.at(pointer).is_string()) {
      return effective.at(pointer).get<std::string>();
    }
  }
  return std::nullopt;
}

std::string_view status_word(const CaseRecord& the_case) {
  return the_case.status ? name_of(*the_case.status) : "pending";
}

std::string why_not_ok(const AnalyzedCase& one) {
  const std::string& reason = one.record->status_reason;
  const bool is_pending = !one.record->status;
  return fmt::format("{} is {}{}{}", one.label, status_word(*one.record), reason.empty() && !is_pending ? "" : ": ",
                     !is_pending                      ? reason
                     : is_live(one.record->requested) ? "measure again"
                                                      : "`transformeter resume` measures it");
}

}  // namespace transformeter
