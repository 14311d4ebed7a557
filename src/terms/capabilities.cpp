// Looking up a declared capability, and its JSON form.
#include "terms/capabilities.h"

#include <fmt/format.h>

#include <algorithm>

namespace transformeter {
namespace {

bool contains(const std::map<std::string, std::vector<std::string>>& table, const std::string& setting,
              const std::string& value, bool when_absent) {
  const auto row = table.find(setting);
  if (row == table.end()) return when_absent;
  return std::find(row->second.begin(), row->second.end(), value) != row->second.end();
}

}  // namespace

std::optional<std::string> Capabilities::why_not(const std::string& setting, const std::string& value) const {
  if (contains(values, setting, value, true)) return std::nullopt;
  const auto reason = reasons.find(setting + "=" + value);
  if (reason != reasons.end()) return reason->second;
  return fmt::format("this worker declares {} {}", setting, fmt::join(values.at(setting), ", "));
}

bool Capabilities::is_native(const std::string& setting, const std::string& value) const {
  return contains(native, setting, value, true);
}

void to_json(Json& json, const Capabilities& capabilities) {
  json = Json{{"values", capabilities.values}, {"native", capabilities.native}, {"reasons", capabilities.reasons}};
}

void from_json(const Json& json, Capabilities& capabilities) {
  json.at("values").get_to(capabilities.values);
  json.at("native").get_to(capabilities.native);
  json.at("reasons").get_to(capabilities.reasons);
}

}  // namespace transformeter
