// The key of a group is its work, setting by setting.
#include "analysis/work_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_label.h"
#include "schema/setting_label.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// The work, but for model and batch size, by which cases are chosen among.
std::string work_key(const CaseRecord& record) {
  Json work = {{"scenario", name_of(scenario_of(record.requested))}};
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (term.group != SettingGroup::kWorkload || name == "model" || name == "batch_size") continue;
    work[name] = setting_value_text(record, name);
  }
  return canonical_json(work);
}

std::string work_label(const CaseRecord& record, const std::vector<std::string>& axes) {
  std::string label = fmt::format("{}, {}", setting_value_text(record, "task"), name_of(scenario_of(record.requested)));
  for (const std::string& axis : axes) {
    const SettingTerm& term = setting_term(axis);
    if (term.group != SettingGroup::kWorkload || axis == "model" || axis == "batch_size" || axis == "task") continue;
    const Json value = record.requested.value(axis, Json());
    if (!value.is_null()) label += ", " + setting_label(axis, value);
  }
  return label;
}

}  // namespace

std::vector<WorkGroup> work_groups(const std::vector<const CaseRecord*>& cases) {
  std::vector<CaseRecord> records;  // as far as they tell work apart
  for (const CaseRecord* one : cases) records.emplace_back().requested = one->requested;
  const std::vector<std::string> axes = varying_settings(records);
  std::vector<WorkGroup> groups;
  std::vector<std::string> keys;  // of the groups
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string key = work_key(*cases[i]);
    const auto known = std::find(keys.begin(), keys.end(), key);
    const auto place = static_cast<std::size_t>(known - keys.begin());
    if (known == keys.end()) {
      keys.push_back(key);
      groups.emplace_back().label = work_label(*cases[i], axes);
    }
    groups[place].members.push_back(i);
  }
  return groups;
}

}  // namespace transformeter
