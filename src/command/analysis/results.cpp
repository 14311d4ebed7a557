// Records and their analysis, written down without loss.
#include "analysis/results.h"

#include <cmath>

#include "analysis/analyzed_run.h"
#include "analysis/baseline_table.h"
#include "metrics/case_summary.h"
#include "schema/missing_replicates.h"

namespace transformeter {
namespace {

Json column_json(const std::vector<double>& column) {
  Json json = Json::array();
  for (const double value : column) json.push_back(finite_or_null(value));
  return json;
}

Json series_json(const Series& series) {
  return {{"name", series.name},
          {"unit", series.unit},
          {"rank", series.rank},
          {"value", column_json(series.value)},
          {"start_s", column_json(series.start_s)},
          {"index", series.index},
          {"examples", series.examples},
          {"useful_tokens", series.useful_tokens},
          {"processed_tokens", series.processed_tokens},
          {"flags", series.flags}};
}

Json replicate_json(const ReplicateRecord& replicate, std::optional<std::size_t> steady_from,
                    const ResultOptions& options) {
  Json all_series = Json::array();
  if (options.samples) {
    for (const Series& series : replicate.series) all_series.push_back(series_json(series));
  }
  return {{"index", replicate.index},
          {"started_at", replicate.started_at},
          {"ranks", replicate.ranks},
          {"status", name_of(replicate.status)},
          {"status_reason", text_or_null(replicate.status_reason)},
          {"steady_from", steady_from ? Json(*steady_from) : Json(nullptr)},
          {"series", std::move(all_series)}};
}

Json findings_json(const std::vector<Finding>& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings) json.push_back({{"name", finding.name}, {"detail", finding.detail}});
  return json;
}

// A verdict judges a measurement; a case without one has none.
Json verdict_json(const CaseRecord& the_case, const Verdict& verdict) {
  return {{"status", the_case.status == Status::kOk ? Json(name_of(verdict.level)) : Json(nullptr)},
          {"reasons", findings_json(verdict.reasons)},
          {"notes", findings_json(verdict.notes)}};
}

}  // namespace

Json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json metric_json(const MetricRow& row) {
  return {{"name", row.name},
          {"unit", row.unit},
          {"statistic", row.statistic},
          {"value", finite_or_null(row.value)},
          {"low", finite_or_null(row.low)},
          {"high", finite_or_null(row.high)},
          {"interval", name_of(row.interval)},
          {"n", row.n},
          {"provenance", text_or_null(row.provenance)},
          {"reason", text_or_null(row.reason)}};
}

Json run_name_json(const RunRecord& run) {
  return {{"id", run.id}, {"name", run.name}, {"started_at", run.started_at}};
}

Json run_fields_json(const RunRecord& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"role", name_of(run.role)},
          {"started_at", run.started_at},
          {"replicates_planned", run.replicates_planned},
          {"host", run.host},
          {"settings", run.settings}};
}

Json case_json(const CaseRecord& the_case, const ResultOptions& options) {
  const CaseAnalysis analysis = analysis_of(the_case);
  Json replicates = Json::array();
  for (std::size_t i = 0; i < the_case.replicates.size(); ++i) {
    const auto steady_from = i < analysis.steady_from.size() ? analysis.steady_from[i] : std::nullopt;
    replicates.push_back(replicate_json(the_case.replicates[i], steady_from, options));
  }
  Json metrics = Json::array();
  for (const MetricRow& row : analysis.metrics) metrics.push_back(metric_json(row));
  return {
      {"id", the_case.id},
      {"plan_key", the_case.plan_key},
      {"key", text_or_null(the_case.key)},
      {"workload_key", text_or_null(the_case.workload_key)},
      {"settings", {{"requested", the_case.requested}, {"effective", the_case.effective}, {"launch", the_case.launch}}},
      {"status", the_case.status ? Json(name_of(*the_case.status)) : Json(nullptr)},
      {"status_reason", text_or_null(the_case.status_reason)},
      {"verdict", verdict_json(the_case, analysis.verdict)},
      {"replicates", std::move(replicates)},
      {"metrics", std::move(metrics)}};
}

Json run_comparison_json(const RunRecord& run, const ResultOptions& options) {
  if (!options.baseline && !planned_baseline(run)) return nullptr;
  return comparison_json(analyze_run(run, options.baseline));
}

Json results_json(const std::vector<RunRecord>& runs, const ResultOptions& options) {
  Json list = Json::array();
  for (const RunRecord& run : runs) {
    Json& fields = list.emplace_back(run_fields_json(run));
    Json cases = Json::array();
    for (const CaseRecord& the_case : run.cases) cases.push_back(case_json(the_case, options));
    fields["cases"] = std::move(cases);
    fields["pending_replicate_count"] = pending_replicates(run).pending;
    fields["comparison"] = run_comparison_json(run, options);
  }
  return {{"schema_version", kResultSchemaVersion}, {"runs", std::move(list)}};
}

}  // namespace transformeter
