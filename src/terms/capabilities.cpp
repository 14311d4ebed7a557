// Looking up a declared capability, and its JSON form.
#include "terms/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "terms/settings.h"

namespace transformeter {
namespace {

bool contains(const std::map<std::string, std::vector<std::string>>& table, const std::string& setting,
              const std::string& value, bool when_absent) {
  const auto row = table.find(setting);
  if (row == table.end()) return when_absent;
  return std::find(row->second.begin(), row->second.end(), value) != row->second.end();
}

// Of a device without its number: "cuda" of "cuda:1".
std::string kind_of(const std::string& value) {
  return value.substr(0, value.find(':'));
}

}  // namespace

Json Capabilities::choice_of_engine(const std::string& setting, const Json& settings) const {
  const auto engine = engines.find(settings.value("engine", std::string()));
  if (engine == engines.end()) return "auto";
  const auto choice = engine->second.find(setting);
  if (choice == engine->second.end()) return "auto";
  if (!choice->second.is_object()) return choice->second;
  const Json& table = choice->second;
  for (const char* name : {"device", "precision", "scenario"}) {
    const auto row = table.find(kind_of(settings.value(name, std::string())));
    if (row != table.end()) return *row;
  }
  return table.at("else");
}

std::optional<std::string> Capabilities::why_not(const std::string& setting, const std::string& value) const {
  if (contains(values, setting, value, true)) return std::nullopt;
  for (const std::string& one : {value, kind_of(value)}) {
    const auto reason = reasons.find(setting + "=" + one);
    if (reason != reasons.end()) return reason->second;
  }
  return fmt::format("this worker declares {} {}", setting, fmt::join(values.at(setting), ", "));
}

std::optional<std::string> Capabilities::why_not_together(const Json& settings) const {
  const auto has = [&](const auto& row) {
    const auto found = settings.find(row.first);
    if (found == settings.end()) return false;
    const std::string value = setting_text(*found);
    return std::any_of(row.second.begin(), row.second.end(),
                       [&](const std::string& one) { return one == value || one == kind_of(value); });
  };
  for (const Conflict& conflict : conflicts) {
    if (std::all_of(conflict.settings.begin(), conflict.settings.end(), has)) return conflict.reason;
  }
  return std::nullopt;
}

bool Capabilities::is_native(const std::string& setting, const std::string& value) const {
  return contains(native, setting, value, true);
}

void to_json(Json& json, const Capabilities& capabilities) {
  json = Json{{"values", capabilities.values},
              {"native", capabilities.native},
              {"reasons", capabilities.reasons},
              {"engines", capabilities.engines}};
  json["conflicts"] = Json::array();
  for (const Conflict& conflict : capabilities.conflicts) {
    json["conflicts"].push_back({{"settings", conflict.settings}, {"reason", conflict.reason}});
  }
}

void from_json(const Json& json, Capabilities& capabilities) {
  json.at("values").get_to(capabilities.values);
  json.at("native").get_to(capabilities.native);
  json.at("reasons").get_to(capabilities.reasons);
  capabilities.engines = json.value("engines", capabilities.engines);
  for (const Json& one : json.value("conflicts", Json::array())) {
    Conflict conflict;
    one.at("settings").get_to(conflict.settings);
    one.at("reason").get_to(conflict.reason);
    capabilities.conflicts.push_back(std::move(conflict));
  }
}

}  // namespace transformeter
