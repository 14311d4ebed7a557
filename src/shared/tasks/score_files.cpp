// What holds for all tasks.
#include "tasks/score_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "datasets/data_file.h"
#include "tasks/task_type.h"

namespace transformeter {

std::vector<std::string> scored_tasks() {
  return names_of_tasks([](const TaskType& type) { return type.score != nullptr; });
}

FileScore score_files(const ScoreRequest& request, const StopCheck& check) {
  const TaskType& type = task_type(request.task);
  if (type.score == nullptr) throw unknown_value("task", name_of(request.task), scored_tasks());
  if (request.data.empty() && !type.scores_without_data) {
    throw Error(ErrorKind::kBadInput, fmt::format("task {} needs --data FILE", name_of(request.task)));
  }
  DataOptions options = request.options;
  std::error_code none;
  if (std::filesystem::is_directory(request.data, none)) options.split.clear();  // chosen among its files
  const bool has_options = options.any() || !request.prediction_column.empty();
  if (has_options && !type.scores_columns) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("task {} does not use columns, splits or class lists", name_of(request.task)));
  }
  const DataFile predictions(request.predictions);
  FileScore result;
  result.predictions_sha256 = predictions.sha256();
  result.report = type.score({request, predictions, result.data_sha256, check});
  return result;
}

}  // namespace transformeter
