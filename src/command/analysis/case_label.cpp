// What varies, in the words of schema/settings.h.
#include "analysis/case_label.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "schema/setting_label.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

Json requested_value(const CaseRecord& the_case, std::string_view setting) {
  if (!the_case.requested.is_object()) return Json();
  const auto found = the_case.requested.find(std::string(setting));
  return found == the_case.requested.end() ? Json() : *found;
}

std::string joined_label(const CaseRecord& the_case, const std::vector<std::string>& settings) {
  std::string label;
  for (const std::string& setting : settings) {
    const Json value = requested_value(the_case, setting);
    if (value.is_null()) continue;
    if (!label.empty()) label.push_back(' ');
    label.append(setting_label(setting, value));
  }
  return label;
}

// The values of a setting by what an engine may choose by: the precision, and the scenario, since not each has every
// setting. Streams may be as many as the threads, and are stored as a number.
using ValuesByEngine = std::map<std::string, std::set<std::string>>;

ValuesByEngine values_by_engine(const std::vector<CaseRecord>& cases, std::string_view setting) {
  ValuesByEngine values;
  for (const CaseRecord& one : cases) {
    Json chooser = {requested_value(one, "scenario"), requested_value(one, "engine"),
                    requested_value(one, "precision")};
    if (setting == "streams") chooser.push_back(requested_value(one, "threads"));
    values[canonical_json(chooser)].insert(canonical_json(requested_value(one, setting)));
  }
  return values;
}

// Several values, but each engine has one: its name says it.
bool follows_engine(const SettingTerm& term, const ValuesByEngine& values) {
  const bool may_follow = term.group == SettingGroup::kEngine || term.group == SettingGroup::kLaunch;
  return may_follow && term.name != "engine" && term.name != "precision" &&
         std::all_of(values.begin(), values.end(), [](const auto& one) { return one.second.size() == 1; });
}

}  // namespace

Json told_value(const Json& requested, std::string_view setting) {
  if (!requested.is_object()) return Json();
  const auto found = requested.find(std::string(setting));
  return found == requested.end() || is_as_before(setting, setting_text(*found)) ? Json() : *found;
}

std::vector<std::string> differing_settings(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) {
    if (term.group == SettingGroup::kRun) continue;
    std::set<std::string> values;
    for (const CaseRecord& one : cases) values.insert(canonical_json(told_value(one.requested, term.name)));
    if (values.size() > 1) names.emplace_back(term.name);
  }
  return names;
}

std::vector<std::string> varying_settings(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> names;
  for (std::string& name : differing_settings(cases)) {
    if (!follows_engine(setting_term(name), values_by_engine(cases, name))) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> label_axes(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> axes = varying_settings(cases);
  if (axes.empty()) axes = {"model", "batch_size", "sequence_length", "precision"};
  return axes;
}

std::vector<std::string> following_settings(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> names = differing_settings(cases);
  std::erase_if(names, [&](const std::string& name) {
    return !follows_engine(setting_term(name), values_by_engine(cases, name));
  });
  return names;
}

bool is_as_before(std::string_view setting, std::string_view text) {
  const SettingTerm* term = find_setting(setting);
  return term != nullptr && term->identity == SettingIdentity::kUnlessInitial && text == term->initial;
}

std::string key_without(const Json& requested, const std::vector<std::string>& settings) {
  if (!requested.is_object()) return canonical_json(requested);
  Json rest = Json::object();
  for (const auto& [name, value] : requested.items()) {
    const bool is_left = std::find(settings.begin(), settings.end(), name) == settings.end();
    if (is_left && tells_cases_apart(name) && !is_as_before(name, setting_text(value))) rest[name] = value;
  }
  return canonical_json(rest);
}

std::string setting_value_text(const CaseRecord& the_case, std::string_view setting) {
  const Json value = requested_value(the_case, setting);
  if (value.is_null()) return "";
  const std::string text = value.is_structured() ? canonical_json(value) : setting_text(value);
  if (setting == "data") return data_path_text(text);
  return setting == "model" ? short_name(text) : text;
}

std::string short_label(const CaseRecord& the_case, const std::vector<std::string>& axes) {
  const std::string label = joined_label(the_case, axes);
  return label.empty() ? the_case.id : label;
}

std::string long_label(const CaseRecord& the_case, const std::vector<std::string>& axes) {
  std::vector<std::string> settings{"model",         "batch_size", "sequence_length", "audio_seconds",
                                    "prompt_length", "new_tokens", "precision",       "attention"};
  for (const std::string& axis : axes) {
    if (std::find(settings.begin(), settings.end(), axis) == settings.end()) settings.push_back(axis);
  }
  return joined_label(the_case, settings);
}

}  // namespace transformeter
