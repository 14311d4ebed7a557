// Answers as the file of predictions that `score` reads (tasks/predictions.h): classes, tags, or answers by id.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/output.h"
#include "schema/prediction.h"
#include "schema/task.h"
#include "tasks/prediction_inputs.h"

namespace transformeter {

class PredictionFile {
 public:
  /// Borrows the inputs.
  PredictionFile(const PredictionInputs& inputs, Sink sink) : inputs_(inputs), sink_(std::move(sink)) {}
  virtual ~PredictionFile() = default;
  /// In the order of the inputs. Throws Error(kBadInput) for a label that is no class or tag of the data, and
  /// Error(kProtocol) for an answer to another task.
  virtual void add(std::size_t index, const Prediction& prediction) = 0;
  /// What closes the file, if anything; after the last answer.
  virtual void finish() {}

 protected:
  const PredictionInputs& inputs_;
  Sink sink_;
};

/// Throws Error(kBadInput) for a task without such a file and for inputs that are not of the task's own kind of file.
/// Borrows the inputs.
std::unique_ptr<PredictionFile> make_prediction_file(Task task, const PredictionInputs& inputs, Sink sink);

/// Throws Error(kBadInput): the inputs are not of the data that such a file is about.
[[noreturn]] void raise_other_data(Task task, const char* wanted);

/// Throws Error(kProtocol) for an answer of another kind.
template <typename T>
const T& answer_of(const Prediction& prediction) {
  if (const T* value = std::get_if<T>(&prediction.value)) return *value;
  throw Error(ErrorKind::kProtocol, "the worker answered a different task than requested");
}

}  // namespace transformeter
