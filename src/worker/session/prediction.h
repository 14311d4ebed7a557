// The verb `predict`: texts through the model, outputs back as answers.
#pragma once

#include <memory>
#include <optional>

#include "base/context.h"
#include "measure/loaded_model.h"
#include "schema/messages.h"
#include "spec/score_function.h"

namespace transformeter {

class Predictor {
 public:
  /// Loads model and tokenizer. Errors as load_model and load_model_tokenizer.
  Predictor(const Case& request, const Context& context, const WorkerParts& parts);

  Prepared prepared() const;
  /// Answers in the order of the inputs, computed in batches of the case's batch size; up to the first input that the
  /// task cannot answer. Throws Error(kBadInput) for options that do not fit the model, Error(kUnsupported) for a task
  /// without answers and for outputs that are not numbers.
  Predicted predict(const PredictRequest& request) const;

 private:
  Case case_;
  std::unique_ptr<Device> device_;
  LoadedModel model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::optional<ScoreFunction> score_function_;  // of sequence classification
};

}  // namespace transformeter
