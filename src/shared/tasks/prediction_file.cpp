// Which tasks have such a file.
#include "tasks/prediction_file.h"

#include <fmt/format.h>

#include <utility>

#include "tasks/task_type.h"

namespace transformeter {

std::unique_ptr<PredictionFile> make_prediction_file(Task task, const PredictionInputs& inputs, Sink sink) {
  const TaskType& type = task_type(task);
  if (type.make_file != nullptr) return type.make_file(inputs, std::move(sink));
  const auto names = names_of_tasks([](const TaskType& one) { return one.make_file != nullptr; });
  throw refused_value("format", "predictions", fmt::format("it exists only for {}", fmt::join(names, ", ")));
}

void raise_other_data(Task task, const char* wanted) {
  throw Error(ErrorKind::kBadInput,
              fmt::format("a prediction file for {} needs --data with {}", name_of(task), wanted));
}

}  // namespace transformeter
