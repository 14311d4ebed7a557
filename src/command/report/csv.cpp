// The identity of a case is written once and repeated per metric.
#include "report/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/analyzed_run.h"
#include "analysis/baseline_table.h"
#include "base/text.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

using Fields = std::vector<std::string>;

const Fields kMetricHeadings{"metric",   "statistic", "unit",       "value",  "low",           "high",
                             "interval", "n",         "provenance", "reason", "baseline_case", "answer"};

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

// Of a case alone the last two are empty.
Fields metric_fields(const MetricRow& row, const std::string& baseline_case = "", std::string_view answer = "") {
  return {row.name,
          row.statistic,
          row.unit,
          number_text(row.value),
          number_text(row.low),
          number_text(row.high),
          std::string(name_of(row.interval)),
          std::to_string(row.n),
          row.provenance,
          row.reason,
          baseline_case,
          std::string(answer)};
}

std::string comparison_rows(const RunRecord& run, const BaselinePair& pair) {
  std::string csv;
  const Fields identity = identity_of(run, *pair.candidate->record, pair.candidate->analysis.verdict);
  const std::string baseline = pair.baseline == nullptr ? "" : pair.baseline->record->id;
  for (const MetricRow& row : pair.rows) {
    append_line(csv, identity, metric_fields(row, baseline, row.name == "speed_up" ? name_of(pair.speed.answer) : ""));
  }
  return csv;
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string valid = valid_utf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char c : valid) quoted.append(c == '"' ? 2 : 1, c);
  return quoted.append("\"");
}

CsvResults::CsvResults(Sink sink, std::optional<Json> baseline)
    : sink_(std::move(sink)), baseline_(std::move(baseline)) {
  std::string heading;
  append_line(heading, identity_headings(), kMetricHeadings);
  sink_(heading);
}

void CsvResults::begin_run(const RunRecord& run) {
  end_run();
  run_ = GatheredRun(run).record();
  if (baseline_ || planned_baseline(run)) gathered_.emplace(run);
}

void CsvResults::add_case(const CaseRecord& the_case) {
  std::string csv;
  const CaseAnalysis analysis = analysis_of(the_case);
  const Fields identity = identity_of(run_, the_case, analysis.verdict);
  for (const MetricRow& row : analysis.metrics) append_line(csv, identity, metric_fields(row));
  if (analysis.metrics.empty()) append_line(csv, identity, Fields(kMetricHeadings.size()));
  sink_(csv);
  if (gathered_) gathered_->add(the_case);
}

void CsvResults::end_run() {
  if (!gathered_) return;
  const AnalyzedRun analyzed = analyze_run(gathered_->record(), baseline_);
  const std::optional<BaselineTable> table = baseline_table(analyzed);
  for (const BaselinePair& pair : table->pairs) sink_(comparison_rows(run_, pair));
  gathered_.reset();
}

void CsvResults::finish() {
  end_run();
}

std::string results_csv(const std::vector<RunRecord>& runs) {
  std::string csv;
  CsvResults results([&](std::string_view text) { csv.append(text); });
  for (const RunRecord& run : runs) {
    results.begin_run(run);
    for (const CaseRecord& one : run.cases) results.add_case(one);
  }
  results.finish();
  return csv;
}

}  // namespace transformeter
