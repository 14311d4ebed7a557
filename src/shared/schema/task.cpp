// Names to tasks.
#include "schema/task.h"

#include <algorithm>

#include "base/error.h"

namespace transformeter {

std::optional<Task> find_task(std::string_view name) {
  for (const TaskName& known : kTaskNames) {
    if (known.name == name) return known.task;
  }
  return std::nullopt;
}

std::optional<Task> typed_task(std::string_view word) {
  std::string name(word);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const TaskAlias& known : kTaskAliases) {
    if (known.alias == name) return known.task;
  }
  return find_task(name);
}

Task task_named(std::string_view name) {
  if (const auto task = find_task(name)) return *task;
  throw unknown_value("task", name, task_names());
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskName& known : kTaskNames) names.emplace_back(known.name);
  return names;
}

void to_json(Json& json, Task task) {
  json = name_of(task);
}

void from_json(const Json& json, Task& task) {
  task = task_named(json.get<std::string>());
}

}  // namespace transformeter
