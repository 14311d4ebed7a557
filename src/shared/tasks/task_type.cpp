#include "tasks/task_type.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {
namespace {

const std::vector<TaskType>& task_types() {
  static const std::vector<TaskType> kTypes = [] {
    std::vector<TaskType> types;
    for (const auto& make : kTaskTypes) types.push_back(make());
    return types;
  }();
  return kTypes;
}

}  // namespace

const TaskType& task_type(Task task) {
  return task_types().at(static_cast<std::size_t>(task));
}

Prediction vector_of_output(std::span<const float> numbers, const std::vector<std::string>& /*labels*/,
                            std::optional<ScoreFunction> /*function*/) {
  return {EmbeddingPrediction{{numbers.begin(), numbers.end()}}, false};
}

LossKind loss_of(Task task) {
  if (const auto loss = task_type(task).loss) return *loss;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("task '{}' cannot be trained: it has no labels and no loss", name_of(task)));
}

std::vector<std::string> names_of_tasks(const std::function<bool(const TaskType&)>& has) {
  std::vector<std::string> names;
  for (const TaskType& type : task_types()) {
    if (has(type)) names.emplace_back(name_of(type.task));
  }
  return names;
}

}  // namespace transformeter
