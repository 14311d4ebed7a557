// Answers as the file of predictions that `score` reads (datasets/predictions.h): classes, tags, or answers by id.
#pragma once

#include <string>

#include "base/output.h"
#include "datasets/prediction_inputs.h"
#include "schema/prediction.h"

namespace transformeter {

class PredictionFile {
 public:
  /// Throws Error(kBadInput) for a task without such a file and for inputs that are not of the task's own kind of file.
  /// Borrows the inputs.
  PredictionFile(const std::string& task, const PredictionInputs& inputs, Sink sink);

  /// In the order of the inputs. Throws Error(kBadInput) for a label that is no class or tag of the data, and
  /// Error(kProtocol) for an answer to another task.
  void add(std::size_t index, const Prediction& prediction);
  /// What closes the file; after the last answer.
  void finish();

 private:
  const PredictionInputs& inputs_;
  Sink sink_;
  bool is_first_ = true;
  bool is_answers_ = false;
};

}  // namespace transformeter
