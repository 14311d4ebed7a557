// A score from two files: what is true, and what a model said.
#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "schema/task.h"
#include "tasks/score.h"

namespace transformeter {

struct ScoreRequest {
  Task task = Task::kSequenceClassification;  // one of scored_tasks()
  std::string data;                           // the data set; may be empty for causal_lm
  std::string predictions;                    // see predictions.h and class_predictions.h
  DataOptions options;                        // of a table of texts and labels
  std::string prediction_column = {};         // of a table of predicted classes; empty: by its usual names
};

struct FileScore {
  ScoreReport report;
  std::string data_sha256;  // empty without a data set
  std::string predictions_sha256;
};

/// Their names.
std::vector<std::string> scored_tasks();

/// Throws Error(kBadInput) for a task that is not scored, a data set that is missing or without labels, and what the
/// readers refuse.
FileScore score_files(const ScoreRequest& request, const StopCheck& check = {});

}  // namespace transformeter
