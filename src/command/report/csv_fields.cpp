// Identity and requested settings of a case, in the order of the table of settings.
#include "report/csv_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

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

std::string names_of(const std::vector<Finding>& findings) {
  std::string names;
  for (const Finding& finding : findings) names.append(names.empty() ? "" : " ").append(finding.name);
  return names;
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string valid = valid_utf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char c : valid) quoted.append(c == '"' ? 2 : 1, c);
  return quoted.append("\"");
}

void append_line(std::string& csv, const CsvFields& identity, const CsvFields& rest) {
  const char* separator = "";
  for (const CsvFields* fields : {&identity, &rest}) {
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

CsvFields identity_headings() {
  CsvFields fields{"run_id", "run_name", "run_started_at", "case_id", "plan_key", "case_key", "workload_key"};
  for (std::string& name : case_settings()) fields.push_back(std::move(name));
  for (const char* name : {"status", "status_reason", "verdict", "verdict_reasons", "verdict_notes", "replicates"}) {
    fields.emplace_back(name);
  }
  return fields;
}

CsvFields identity_of(const RunRecord& run, const CaseRecord& one, const Verdict& verdict) {
  CsvFields fields{run.id, run.name, run.started_at, one.id, one.plan_key, one.key, one.workload_key};
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

}  // namespace transformeter
