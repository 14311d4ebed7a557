// Cases that differ in what they do are never put together: a longer text is slower, whatever else was set.
#include "analysis/setting_summary.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/case_label.h"
#include "base/error.h"
#include "metrics/case_settings.h"
#include "schema/metric_names.h"

namespace transformeter {
namespace {

struct ValueCases {
  Json value;
  std::vector<const AnalyzedCase*> cases;
};

// Not a setting: the model's architecture, as the worker reported it.
constexpr std::string_view kFamily = "family";

// Whether cases that differ in `name` are summarised together by `setting`: a family has several models.
bool is_put_together(std::string_view name, const std::string& setting) {
  return name == setting || (setting == kFamily && name == "model");
}

Json value_of(const CaseRecord& one, const std::string& setting) {
  if (setting == kFamily) {
    const auto family = text_of_path(one.effective, {"model", "family"});
    return family ? Json(*family) : Json();
  }
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

// All else that was asked for, less what an engine chooses by itself.
using Rest = std::string;

// The rests that all lists have.
std::set<Rest> common_rests(const std::vector<std::set<Rest>>& lists) {
  std::set<Rest> common;
  bool is_first = true;
  for (const std::set<Rest>& list : lists) {
    if (is_first) common = list;
    std::erase_if(common, [&](const Rest& rest) { return list.count(rest) == 0; });
    is_first = false;
  }
  return common;
}

// A case counts with one number, its headline.
class Matching {
 public:
  Matching(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases, const std::string& setting) {
    std::vector<std::string> without = run.following;
    without.push_back(setting);
    if (is_put_together("model", setting)) without.emplace_back("model");
    for (const AnalyzedCase* one : cases) rests_[one] = key_without(one->record->requested, without);
  }

  const Rest& rest_of(const AnalyzedCase& one) const { return rests_.at(&one); }

  // Those of each model apart: what one model of a family was measured with, another may lack.
  void add_rests(const std::vector<const AnalyzedCase*>& cases, std::vector<std::set<Rest>>& lists) const {
    std::map<std::string, std::set<Rest>> by_model;
    for (const AnalyzedCase* one : cases) {
      by_model[canonical_json(value_of(*one->record, "model"))].insert(rest_of(*one));
    }
    for (auto& [model, rests] : by_model) lists.push_back(std::move(rests));
  }

 private:
  std::map<const AnalyzedCase*, Rest> rests_;
};

std::optional<double> value_in(const AnalyzedCase& one, std::string_view metric) {
  const MetricRow* row = shown_metric(one, metric);
  return row == nullptr ? std::nullopt : row->value;
}

std::vector<const AnalyzedCase*> having(std::string_view metric, std::vector<const AnalyzedCase*> cases) {
  std::erase_if(cases, [&](const AnalyzedCase* one) { return !value_in(*one, metric); });
  return cases;
}

// A metric that some cases lack is summarised over those other settings of which every value has it.
void add_metric(const std::vector<ValueCases>& grouped, const MetricTerm& term, const Matching& matching,
                std::vector<ValueSummary>& summaries) {
  std::vector<std::vector<const AnalyzedCase*>> cases;
  std::vector<std::set<Rest>> rests;
  for (const ValueCases& one : grouped) {
    cases.push_back(having(term.name, one.cases));
    matching.add_rests(cases.back(), rests);
  }
  const std::set<Rest> common = common_rests(rests);
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    std::vector<double> numbers;
    for (const AnalyzedCase* one : cases[i]) {
      if (common.empty() || common.count(matching.rest_of(*one)) != 0) numbers.push_back(*value_in(*one, term.name));
    }
    if (const auto summary = summarize(numbers)) {
      summaries[i].metrics.push_back({std::string(term.name), std::string(term.unit), *summary, !common.empty()});
    }
  }
}

// Leaves the cases whose other settings every value has; all of them where there are no such settings.
void match(std::vector<ValueCases>& grouped, const Matching& matching, SettingSummary& summary) {
  std::vector<std::set<Rest>> rests;
  for (const ValueCases& one : grouped) matching.add_rests(one.cases, rests);
  const std::set<Rest> common = common_rests(rests);
  summary.is_matched = !common.empty();
  if (common.empty()) return;
  for (ValueCases& one : grouped) {
    std::erase_if(one.cases, [&](const AnalyzedCase* the_case) {
      if (common.count(matching.rest_of(*the_case)) != 0) return false;
      summary.unmatched.push_back(the_case->record->id);
      return true;
    });
  }
}

// What a model has learned depends on how many steps it took.
std::optional<StepCounts> differing_steps(const std::vector<ValueCases>& grouped) {
  std::vector<const CaseRecord*> records;
  for (const ValueCases& one : grouped) {
    for (const AnalyzedCase* the_case : one.cases) records.push_back(the_case->record);
  }
  const auto counts = step_counts(records);
  return counts && counts->fewest != counts->most ? counts : std::nullopt;
}

SettingSummary summary_of(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases,
                          const std::string& setting) {
  SettingSummary summary;
  summary.setting = setting;
  const Matching matching(run, cases, setting);
  std::vector<ValueCases> grouped = by_value(cases, setting);
  match(grouped, matching, summary);
  std::set<std::string> also;
  for (const ValueCases& one : grouped) {
    ValueSummary& value = summary.values.emplace_back();
    value.value =
        setting == kFamily ? one.value.get<std::string>() : setting_value_text(*one.cases.front()->record, setting);
    std::vector<const CaseRecord*> records;
    for (const AnalyzedCase* the_case : one.cases) {
      records.push_back(the_case->record);
      value.cases.push_back(the_case->record->id);
    }
    for (std::string& name : differing_requests(records)) also.insert(std::move(name));
  }
  for (const MetricTerm& term : metric_terms()) add_metric(grouped, term, matching, summary.values);
  summary.also_differ.assign(also.begin(), also.end());
  summary.differing_steps = differing_steps(grouped);
  return summary;
}

SummaryGroup group_of(const CaseRecord& one, const std::string& setting) {
  const auto text = [&](const char* name) {
    return is_put_together(name, setting) ? "" : setting_value_text(one, name);
  };
  SummaryGroup group{text("scenario"), text("model"), text("task"), text("data"), text("device")};
  const auto device = text_of_path(one.effective, {"device"});
  if (device && setting != "device") group.device = *device;
  return group;
}

// Full names: two folders may end alike.
std::string group_key(const CaseRecord& one, const std::string& setting) {
  Json key = Json::array();
  for (const char* name : {"scenario", "model", "task", "data"}) {
    key.push_back(is_put_together(name, setting) ? Json() : value_of(one, name));
  }
  key.push_back(group_of(one, setting).device);
  return canonical_json(key);
}

std::vector<SettingSummary> summaries_of(const AnalyzedRun& run, const std::vector<const AnalyzedCase*>& cases,
                                         const std::string& setting) {
  std::vector<std::vector<const AnalyzedCase*>> groups;
  std::map<std::string, std::size_t> places;
  for (const AnalyzedCase* one : cases) {
    if (value_of(*one->record, setting).is_null()) continue;
    const auto [place, is_new] = places.try_emplace(group_key(*one->record, setting), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(one);
  }
  std::vector<SettingSummary> summaries;
  for (const auto& group : groups) {
    summaries.push_back(summary_of(run, group, setting));
    summaries.back().group = group_of(*group.front()->record, setting);
  }
  // Asked for, and of no usable case: it is told with nothing in it.
  if (summaries.empty()) summaries.emplace_back().setting = setting;
  return summaries;
}

void check_setting(const AnalyzedRun& run, const std::string& setting) {
  std::set<std::string> known;
  for (const AnalyzedCase& one : run.cases) {
    for (const auto& [name, value] : one.record->requested.items()) known.insert(name);
    if (!value_of(*one.record, std::string(kFamily)).is_null()) known.emplace(kFamily);
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
    if (one.is_usable()) {
      cases.push_back(&one);
    } else {
      summaries.left_out.push_back(one.record->id);
    }
  }
  for (const std::string& setting : settings) {
    check_setting(run, setting);
    for (SettingSummary& one : summaries_of(run, cases, setting)) summaries.settings.push_back(std::move(one));
  }
  return summaries;
}

}  // namespace transformeter
