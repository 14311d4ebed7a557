// Looking up a declared capability, and its JSON form.
#include "schema/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/settings.h"

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
  // What is still auto is a choice itself; a case without a batching, as of images, has nothing to pack.
  const auto settled = [&](const char* name) {
    const Json value = settings.value(name, Json(name == std::string_view("batching") ? "padded" : ""));
    return kind_of(setting_text(value == "auto" && name != setting ? choice_of_engine(name, settings) : value));
  };
  const Json* value = &choice->second;
  while (value->is_object()) {
    const Json* next = &value->at("else");
    for (const char* name : {"task", "pinning", "batching", "scenario", "precision", "device"}) {
      const auto row = value->find(settled(name));
      if (row != value->end()) next = &*row;
    }
    value = next;
  }
  return *value;
}

void Capabilities::take_choices_of_engine(Json& settings) const {
  const Json asked = settings;
  for (auto& [name, value] : settings.items()) {
    if (value == "auto") value = choice_of_engine(name, asked);
  }
}

std::string Capabilities::best_device() const {
  for (const auto* table : {&native, &values}) {
    const auto row = table->find("device");
    if (row != table->end() && !row->second.empty()) return row->second.front();
  }
  return "cpu";
}

std::optional<std::string> Capabilities::why_not(const std::string& setting, const std::string& value) const {
  if (contains(values, setting, value, true)) return std::nullopt;
  for (const std::string& one : {value, kind_of(value)}) {
    const auto reason = reasons.find(setting + "=" + one);
    if (reason != reasons.end()) return reason->second;
  }
  return fmt::format("this worker supports {} {}", setting, fmt::join(values.at(setting), ", "));
}

std::optional<std::string> Capabilities::why_not_all(const Json& settings) const {
  std::vector<std::string> names{"device"};
  for (const auto& [name, value] : settings.items()) names.push_back(name);
  for (const std::string& name : names) {
    const std::string value = setting_text(settings.value(name, Json("auto")));
    if (value == "auto") continue;
    if (const auto reason = why_not(name, value)) return fmt::format("{} {}: {}", name, value, *reason);
  }
  return std::nullopt;
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

std::optional<std::string> Capabilities::why_unsupported(const Json& settings) const {
  const std::string engine = settings.value("engine", std::string("auto"));
  if (engine != "auto") {
    if (const auto reason = why_not("engine", engine)) return fmt::format("engine {}: {}", engine, *reason);
  }
  if (auto reason = why_not_together(settings)) return reason;
  return why_not_all(settings);
}

bool Capabilities::is_native(const std::string& setting, const std::string& value, const std::string& device) const {
  const std::string own = setting + "@" + kind_of(device);
  return contains(native, native.count(own) != 0 ? own : setting, value, true);
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
