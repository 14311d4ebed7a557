// Errors name the file, the component and the member.
#include "tokenizers/component_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tokenizers/tokenizer_config.h"

namespace transformeter {

ComponentJson::ComponentJson(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
  if (!json.is_object()) throw bad("must be an object");
  type_ = string("type");
}

Error ComponentJson::bad(const std::string& message) const {
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", where_, message));
}

Error ComponentJson::unknown_type(const std::vector<std::string>& known) const {
  return unknown_value(where_ + ": type", type_, known);
}

void ComponentJson::allow(const std::vector<std::string>& names) const {
  for (const auto& [name, value] : json_.items()) {
    if (name == "type" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw unknown_value(fmt::format("{}: member of {}", where_, type_), name, names);
  }
}

const Json* ComponentJson::find(const char* name) const {
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

const Json& ComponentJson::optional(const char* name) const {
  static const Json kNull;
  const Json* found = find(name);
  return found == nullptr ? kNull : *found;
}

const Json& ComponentJson::member(const char* name) const {
  const Json* found = find(name);
  if (found == nullptr) throw bad(fmt::format("'{}' is missing", name));
  return *found;
}

bool ComponentJson::boolean(const char* name, bool fallback) const {
  return optional_bool(json_, name, where_).value_or(fallback);
}
std::string ComponentJson::string(const char* name, const std::string& fallback) const {
  return optional_string(name).value_or(fallback);
}
std::optional<bool> ComponentJson::optional_boolean(const char* name) const {
  return optional_bool(json_, name, where_);
}
std::optional<std::string> ComponentJson::optional_string(const char* name) const {
  return transformeter::optional_string(json_, name, where_);
}

std::optional<std::int32_t> ComponentJson::optional_id(const char* name) const {
  const Json* found = find(name);
  return found == nullptr ? std::nullopt : std::optional(token_id(*found, fmt::format("{}: {}", where_, name)));
}

bool ComponentJson::boolean(const char* name) const {
  member(name);
  return boolean(name, false);
}
std::string ComponentJson::string(const char* name) const {
  member(name);
  return string(name, "");
}
const Json& ComponentJson::array(const char* name) const {
  const Json& found = member(name);
  if (!found.is_array()) throw bad(fmt::format("'{}' must be an array", name));
  return found;
}

Regex make_pattern(const ComponentJson& json) {
  const Json& pattern = json.member("pattern");
  const std::string where = json.where() + ": pattern";
  if (pattern.is_object() && pattern.size() == 1) {
    if (const auto regex = optional_string(pattern, "Regex", where)) return Regex(*regex, where);
    if (const auto text = optional_string(pattern, "String", where)) return Regex::literal(*text, where);
  }
  throw json.bad("'pattern' must be an object with a Regex or a String");
}

}  // namespace transformeter
