// A case counts with one number, its headline, whatever its own interval.
#include "analysis/setting_summary.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/case_label.h"
#include "base/error.h"
#include "terms/metric_names.h"

namespace transformeter {
namespace {

struct ValueCases {
  Json value;
  std::vector<const AnalyzedCase*> cases;
};

bool is_usable(const AnalyzedCase& one) {
  return one.is_ok() && one.analysis.verdict.level != VerdictLevel::kInvalid;
}

Json value_of(const CaseRecord& one, const std::string& setting) {
  const auto found = one.requested.find(setting);
  return found == one.requested.end() ? Json() : *found;
}

std::vector<ValueCases> by_value(const std::vector<const AnalyzedCase*>& cases, const std::string& setting) {
  std::vector<ValueCases> values;
  for (const AnalyzedCase* one : cases) {
    Json value = value_of(*one->record, setting);
    if (value.is_null()) continue;
    auto found = std::find_if(values.begin(), values.end(), [&](const auto& known) { return known.value == value; });
    if (found == values.end()) {
      values.emplace_back().value = std::move(value);
      found = std::prev(values.end());
    }
    found->cases.push_back(one);
  }
  std::stable_sort(values.begin(), values.end(), [](const ValueCases& a, const ValueCases& b) {
    if (!a.value.is_number() || !b.value.is_number()) return a.value.is_number() && !b.value.is_number();
    return a.value.get<double>() < b.value.get<double>();
  });
  return values;
}

std::vector<MetricSummary> metrics_of(const std::vector<const AnalyzedCase*>& cases) {
  std::vector<MetricSummary> metrics;
  for (const MetricTerm& term : metric_terms()) {
    std::vector<double> values;
    for (const AnalyzedCase* one : cases) {
      const MetricRow* row = shown_metric(*one, term.name);
      if (row != nullptr && row->value) values.push_back(*row->value);
    }
    if (const auto summary = summarize(values)) {
      metrics.push_back({std::string(term.name), std::string(term.unit), *summary});
    }
  }
  return metrics;
}

SettingSummary summary_by(const std::vector<const AnalyzedCase*>& cases, const std::string& setting) {
  SettingSummary summary;
  summary.setting = setting;
  std::set<std::string> also;
  for (const ValueCases& grouped : by_value(cases, setting)) {
    ValueSummary& value = summary.values.emplace_back();
    value.value = setting_value_text(*grouped.cases.front()->record, setting);
    value.metrics = metrics_of(grouped.cases);
    std::vector<const CaseRecord*> records;
    for (const AnalyzedCase* one : grouped.cases) {
      records.push_back(one->record);
      value.cases.push_back(one->record->id);
    }
    for (std::string& name : differing_requests(records)) also.insert(std::move(name));
  }
  summary.also_differ.assign(also.begin(), also.end());
  return summary;
}

void check_setting(const AnalyzedRun& run, const std::string& setting) {
  std::set<std::string> known;
  for (const AnalyzedCase& one : run.cases) {
    for (const auto& [name, value] : one.record->requested.items()) known.insert(name);
  }
  if (known.count(setting) == 0) throw unknown_value("setting", setting, {known.begin(), known.end()});
}

}  // namespace

std::vector<std::string> differing_requests(const std::vector<const CaseRecord*>& cases) {
  std::map<std::string, std::set<std::string>> values;
  for (const CaseRecord* one : cases) {
    for (const auto& [name, value] : one->requested.items()) values[name];
  }
  std::vector<std::string> differing;
  for (auto& [name, texts] : values) {
    for (const CaseRecord* one : cases) texts.insert(canonical_json(value_of(*one, name)));
    if (texts.size() > 1) differing.push_back(name);
  }
  return differing;
}

SettingSummaries summaries_by(const AnalyzedRun& run, const std::vector<std::string>& settings) {
  SettingSummaries summaries;
  std::vector<const AnalyzedCase*> cases;
  for (const AnalyzedCase& one : run.cases) {
    if (is_usable(one)) {
      cases.push_back(&one);
    } else {
      summaries.left_out.push_back(one.record->id);
    }
  }
  for (const std::string& setting : settings) {
    check_setting(run, setting);
    summaries.settings.push_back(summary_by(cases, setting));
  }
  return summaries;
}

}  // namespace transformeter
