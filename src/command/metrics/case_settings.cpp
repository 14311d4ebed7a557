// A walk along keys.
#include "metrics/case_settings.h"

namespace transformeter {
namespace {

const Json* walk(const Json& json, std::initializer_list<const char*> keys) {
  const Json* here = &json;
  for (const char* key : keys) {
    if (!here->is_object()) return nullptr;
    const auto found = here->find(key);
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}

}  // namespace

std::optional<double> number_of_path(const Json& json, std::initializer_list<const char*> keys) {
  const Json* value = walk(json, keys);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<std::string> text_of_path(const Json& json, std::initializer_list<const char*> keys) {
  const Json* value = walk(json, keys);
  return value != nullptr && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::optional<bool> flag_of_path(const Json& json, std::initializer_list<const char*> keys) {
  const Json* value = walk(json, keys);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::optional<Task> task_of_case(const Json& requested) {
  const auto name = text_of_path(requested, {"task"});
  return name ? find_task(*name) : std::nullopt;
}

}  // namespace transformeter
