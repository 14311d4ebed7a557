// Answers that a test can compute itself.
#include "fake_worker/predictions.h"

namespace transformeter {

Predicted fake_predictions(Task task, const PredictRequest& request) {
  Predicted predicted;
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const std::string& text = request.inputs[i].text;
    if (text == "refuse") {
      predicted.refused = RefusedInput{i, "a refusal was asked for"};
      break;
    }
    const std::vector<float> numbers{static_cast<float>(text.size()), 0};
    Prediction prediction;
    prediction.value = ClassPrediction{0, "", 1, numbers};
    if (task == Task::kEmbedding) prediction.value = EmbeddingPrediction{numbers};
    predicted.predictions.push_back(std::move(prediction));
  }
  return predicted;
}

}  // namespace transformeter
