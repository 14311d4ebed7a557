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

std::optional<Task> task_of(const Json& requested) {
  return find_task(text_of_path(requested, {"task"}).value_or(""));
}

bool reads(const Json& requested, Modality modality) {
  const std::optional<Task> task = task_of(requested);
  return task && modality_of(*task) == modality;
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

bool task_has(const Json& requested, const std::function<bool(Task)>& has) {
  const auto name = text_of_path(requested, {"task"});
  if (!name) return true;
  const auto task = find_task(*name);
  return task && has(*task);
}

bool reads_audio(const Json& requested) {
  return reads(requested, Modality::kAudio);
}

bool reads_images(const Json& requested) {
  return reads(requested, Modality::kImage);
}

bool has_captions(const Json& requested) {
  const std::optional<Task> task = task_of(requested);
  return task && has_captions(*task);
}

bool has_filled_rows(const Json& requested) {
  return number_of_path(requested, {"sequence_length"}) &&
         text_of_path(requested, {"length_distribution"}).value_or("").empty();
}

}  // namespace transformeter
