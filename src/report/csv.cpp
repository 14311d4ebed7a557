// The identity of a case is written once and repeated per metric.
#include "report/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/analyzed_run.h"
#include "base/text.h"
#include "metrics/case_summary.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

using Fields = std::vector<std::string>;

const Fields kMetricHeadings{"metric", "statistic", "unit", "value",      "low",
                             "high",   "interval",  "n",    "provenance", "reason"};

std::vector<std::string> case_settings() {
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) {
    if (term.group != SettingGroup::kRun) names.emplace_back(term.name);
  }
  return names;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (const auto bad = first_invalid_utf8(text)) {
    valid.append(text.substr(0, *bad)).append("\xEF\xBF\xBD");
    text.remove_prefix(*bad + 1);
  }
  return valid.append(text);
}

void append_line(std::string& csv, const Fields& identity, const Fields& rest) {
  const char* separator = "";
  for (const Fields* fields : {&identity, &rest}) {
    for (const std::string& field : *fields) {
      csv.append(separator).append(csv_field(field));
      separator = ",";
    }
  }
  csv.append("\r\n");
}

std::string number_text(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string names_of(const std::vector<Finding>& findings) {
  std::string names;
  for (const Finding& finding : findings) names.append(names.empty() ? "" : " ").append(finding.name);
  return names;
}

Fields identity_headings() {
  Fields fields{"run_id", "run_name", "run_started_at", "case_id", "plan_key", "case_key", "workload_key"};
  for (std::string& name : case_settings()) fields.push_back(std::move(name));
  for (const char* name : {"status", "status_reason", "verdict", "verdict_reasons", "verdict_notes", "replicates"}) {
    fields.emplace_back(name);
  }
  return fields;
}

Fields identity_of(const RunRecord& run, const CaseRecord& one, const Verdict& verdict) {
  Fields fields{run.id, run.name, run.started_at, one.id, one.plan_key, one.key, one.workload_key};
  for (const std::string& name : case_settings()) {
    const Json value = one.requested.value(name, Json());
    fields.push_back(value.is_null() ? "" : value.is_structured() ? canonical_json(value) : setting_text(value));
  }
  fields.emplace_back(status_word(one));
  fields.push_back(one.status_reason);
  fields.emplace_back(one.status == Status::kOk ? name_of(verdict.level) : "");
  fields.push_back(names_of(verdict.reasons));
  fields.push_back(names_of(verdict.notes));
  fields.push_back(std::to_string(one.replicates.size()));
  return fields;
}

Fields metric_fields(const MetricRow& row) {
  return {row.name,
          row.statistic,
          row.unit,
          number_text(row.value),
          number_text(row.low),
          number_text(row.high),
          std::string(name_of(row.interval)),
          std::to_string(row.n),
          row.provenance,
          row.reason};
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string valid = valid_utf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char c : valid) quoted.append(c == '"' ? 2 : 1, c);
  return quoted.append("\"");
}

std::string csv_heading() {
  std::string csv;
  append_line(csv, identity_headings(), kMetricHeadings);
  return csv;
}

std::string csv_rows(const RunRecord& run, const CaseRecord& one) {
  std::string csv;
  const CaseAnalysis analysis = analysis_of(one);
  const Fields identity = identity_of(run, one, analysis.verdict);
  for (const MetricRow& row : analysis.metrics) append_line(csv, identity, metric_fields(row));
  if (analysis.metrics.empty()) append_line(csv, identity, Fields(kMetricHeadings.size()));
  return csv;
}

std::string results_csv(const std::vector<RunRecord>& runs) {
  std::string csv = csv_heading();
  for (const RunRecord& run : runs) {
    for (const CaseRecord& one : run.cases) csv.append(csv_rows(run, one));
  }
  return csv;
}

}  // namespace transformeter
