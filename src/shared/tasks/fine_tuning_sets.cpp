// Of running text there is nothing to hold back but other text.
#include "tasks/fine_tuning_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "datasets/data_file.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

// Files of a task's own form have none; a folder may have one file for each.
bool has_splits(Task task, const std::string& path) {
  std::error_code none;
  return task_type(task).has_own_form == nullptr || std::filesystem::is_directory(path, none);
}

// A folder has a file for each split, so that one file may be named in several ways.
bool share_a_file(const Case& request, const std::string& path, const FineTuneOptions& options) {
  namespace fs = std::filesystem;
  std::error_code none;
  const bool has_folder = fs::is_directory(path, none) || fs::is_directory(options.evaluation_data, none);
  if (modality_of(request.task) != Modality::kText || !has_folder) return false;
  const std::vector<fs::path> learnt = files_of_data(path, request.split);
  const std::vector<fs::path> scored = files_of_data(options.evaluation_data, options.evaluation_split);
  return std::any_of(learnt.begin(), learnt.end(), [&](const fs::path& one) {
    return std::any_of(scored.begin(), scored.end(),
                       [&](const fs::path& other) { return fs::equivalent(one, other, none); });
  });
}

}  // namespace

void check_evaluation_data(const Case& request, const std::string& path, const FineTuneOptions& options) {
  const std::string& file = options.evaluation_data;
  if (file.empty()) return;
  if (!options.evaluation_split.empty() && !has_splits(request.task, file)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: files for {} have no splits", file, name_of(request.task)));
  }
  std::error_code none;
  const bool is_same_path = std::filesystem::equivalent(path, file, none);
  // Without this the reader would ask for --split, which the user has given.
  if (is_same_path && has_splits(request.task, file) && !request.split.empty() && options.evaluation_split.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: split '{}' is learned from; choose another one to evaluate on with --evaluation-split",
                            file, request.split));
  }
  const bool is_same_split = !has_splits(request.task, file) || options.evaluation_split == request.split;
  if (!(is_same_path && is_same_split) && !share_a_file(request, path, options)) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("{}: training and evaluation use the same data{}; set another file or --evaluation-split, or hold "
                  "out a part with --evaluation-share",
                  file, options.evaluation_split.empty() ? "" : fmt::format(" (split {})", options.evaluation_split)));
}

DataOptions FineTuningSource::scored_data() const {
  DataOptions columns = data;
  columns.split = options.evaluation_split;
  return columns;
}

FineTuningSets running_text_sets(const FineTuningSource& source) {
  if (source.options.evaluation_share > 0) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format(
            "task {} has no single examples to hold out for evaluation_share; set --evaluation-data to another text",
            name_of(source.rows.task)));
  }
  FineTuningSets sets;
  sets.rows = read_training_rows(source.path, source.data, *source.tokenizer, source.rows);
  const std::string& file = source.options.evaluation_data;
  if (file.empty()) return sets;
  TrainingRowsOptions all = source.rows;
  all.limit.reset();  // of what is learnt from
  sets.scored_rows = read_training_rows(file, source.scored_data(), *source.tokenizer, all);
  return sets;
}

}  // namespace transformeter
