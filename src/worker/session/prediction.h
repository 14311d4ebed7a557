// The verb `predict`: texts through the model, outputs back as answers.
#pragma once

#include <memory>
#include <optional>

#include "audio/feature_extractor.h"
#include "base/context.h"
#include "images/image_processor.h"
#include "measure/loaded_model.h"
#include "measure/row_outputs.h"
#include "schema/messages.h"
#include "spec/score_function.h"
#include "tokenizers/ctc_vocabulary.h"

namespace transformeter {

class Predictor {
 public:
  /// Loads the model with its tokenizer, image processor or feature extractor. Errors as load_model,
  /// load_model_tokenizer, model_image_processor, model_feature_extractor and CtcVocabulary::read.
  Predictor(const Case& request, const Context& context, const WorkerParts& parts);

  Prepared prepared() const;
  /// Answers in the order of the inputs, computed in batches of the case's batch size; up to the first input that the
  /// task cannot answer. Throws Error(kBadInput) for options that do not fit the model, Error(kUnsupported) for a task
  /// without answers and for outputs that are not numbers.
  Predicted predict(const PredictRequest& request) const;

 private:
  Predicted predict_images(const PredictRequest& request) const;
  Predicted predict_sounds(const PredictRequest& request) const;

  Case case_;
  std::unique_ptr<Device> device_;
  LoadedModel model_;
  std::unique_ptr<Tokenizer> tokenizer_;  // null: it reads images or sounds
  std::optional<ImageProcessor> processor_;
  std::optional<FeatureExtractorOptions> extractor_;
  std::optional<CtcVocabulary> vocabulary_;      // of speech recognition
  std::optional<ScoreFunction> score_function_;  // of sequence classification, and of classes that are named
};

}  // namespace transformeter
