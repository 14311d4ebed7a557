// Reading and checking it; what is compared with it is the analysis's matter.
#include "schema/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::string_view kExample = "e.g. attention=eager,precision=fp32";

// What may tell two arms apart.
bool is_arm_setting(const SettingTerm& term) {
  return term.is_axis && term.group != SettingGroup::kRun && term.group != SettingGroup::kWorkload;
}

std::vector<std::string> arm_settings() {
  std::vector<std::string> names;
  for (const SettingTerm& term : setting_terms()) {
    if (is_arm_setting(term)) names.emplace_back(term.name);
  }
  return names;
}

const SettingTerm& arm_setting(const std::string& name) {
  const SettingTerm* known = find_setting(name);
  if (known == nullptr) throw unknown_value("baseline: setting", name, arm_settings());
  const SettingTerm& term = *known;
  if (is_arm_setting(term)) return term;
  const bool is_work = term.group == SettingGroup::kWorkload;
  throw Error(ErrorKind::kBadInput,
              fmt::format("baseline: '{}' cannot be compared: {}. Allowed settings: {}.", name,
                          is_work ? "it is part of the workload, which must be the same on both sides"
                                  : "it has only one value per run",
                          fmt::join(arm_settings(), ", ")));
}

std::string value_text(const Json& value) {
  return value.is_null() ? "none" : setting_text(value);
}

// "eager, sdpa": the values among the cases, each once, in their order.
std::string values_among(const std::vector<const Json*>& requested, const std::string& name) {
  std::vector<std::string> texts;
  for (const Json* one : requested) {
    std::string text = value_text(one->value(name, Json()));
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Json baseline_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  if (settings.empty()) throw bad_value("baseline", "", fmt::format("settings with one value each, {}", kExample));
  Json baseline = Json::object();
  for (const auto& [name, text] : settings) {
    const SettingTerm& term = arm_setting(name);
    if (baseline.contains(name)) {
      throw refused_value("baseline", fmt::format("{}={}", name, text), "it is already set", "List each setting once.");
    }
    baseline[name] = parse_setting(term, text);
  }
  return baseline;
}

Json parse_baseline(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (trim(text).empty()) return baseline_of(settings);
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw bad_value("baseline", part, fmt::format("SETTING=VALUE, {}", kExample));
    }
    settings.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
  }
  return baseline_of(settings);
}

std::string baseline_text(const Json& baseline) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : baseline.items()) parts.push_back(fmt::format("{}={}", name, value_text(value)));
  return fmt::format("{}", fmt::join(parts, ","));
}

bool fulfils(const Json& requested, const Json& baseline) {
  const auto has = [&](const auto& setting) { return requested.value(setting.key(), Json()) == setting.value(); };
  const auto settings = baseline.items();
  return requested.is_object() && std::all_of(settings.begin(), settings.end(), has);
}

void check_baseline(const Json& baseline, const std::vector<const Json*>& requested) {
  const auto any = [&](const Json& wanted) {
    return std::any_of(requested.begin(), requested.end(), [&](const Json* one) { return fulfils(*one, wanted); });
  };
  if (any(baseline)) return;
  for (const auto& [name, value] : baseline.items()) {
    if (any(Json::object({{name, value}}))) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("baseline: no case has {} {}; the cases have {}. Use one of these, or measure {} too ({}).",
                            name, value_text(value), values_among(requested, name), value_text(value), flag_of(name)));
  }
  throw Error(ErrorKind::kBadInput, fmt::format("baseline: each value of {} occurs, but no case combines all of them.",
                                                baseline_text(baseline)));
}

}  // namespace transformeter
