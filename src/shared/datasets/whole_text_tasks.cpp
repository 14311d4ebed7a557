// The tasks with one output for a whole text or pair: classes and embeddings.
#include <algorithm>
#include <cmath>
#include <utility>

#include "datasets/prediction_tasks.h"
#include "datasets/softmax.h"

namespace transformeter {
namespace {

ClassPrediction class_of(std::span<const float> logits, const std::vector<std::string>& labels) {
  ClassPrediction prediction;
  prediction.logits.assign(logits.begin(), logits.end());
  const auto best = std::max_element(logits.begin(), logits.end());
  prediction.label_id = best - logits.begin();
  const auto index = static_cast<std::size_t>(prediction.label_id);
  if (index < labels.size()) prediction.label = labels[index];
  // As the text classification pipeline of Transformers: there is nothing to share a single score with.
  prediction.score = logits.size() == 1 ? 1 / (1 + std::exp(-static_cast<double>(*best))) : softmax(logits)[index];
  return prediction;
}

enum class Output { kClasses, kEmbedding };

class WholeText final : public EncodedInput {
 public:
  WholeText(Encoding encoding, Output output, const std::vector<std::string>& labels)
      : output_(output), labels_(labels) {
    rows_.push_back(std::move(encoding));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    const std::span<const float> values = outputs.front().values;
    Prediction prediction;
    if (output_ == Output::kClasses) {
      prediction.value = class_of(values, labels_);
    } else {
      prediction.value = EmbeddingPrediction{{values.begin(), values.end()}};
    }
    prediction.truncated = rows_.front().truncated_tokens > 0;
    return prediction;
  }

 private:
  Output output_;
  const std::vector<std::string>& labels_;
};

class WholeTextTask final : public PredictionTask {
 public:
  WholeTextTask(const PredictionModel& model, const PredictionOptions& options, Output output)
      : PredictionTask(true), model_(model), output_(output) {
    encode_options_.max_length = options.max_length;
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    const Tokenizer& tokenizer = model_.tokenizer;
    Encoding encoding = input.text_pair ? tokenizer.encode_pair(input.text, *input.text_pair, encode_options_)
                                        : tokenizer.encode(input.text, encode_options_);
    return std::make_unique<WholeText>(std::move(encoding), output_, model_.labels);
  }

  PredictionModel model_;
  Output output_;
  EncodeOptions encode_options_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_classification_task(const PredictionModel& model,
                                                         const PredictionOptions& options) {
  return std::make_unique<WholeTextTask>(model, options, Output::kClasses);
}

std::unique_ptr<PredictionTask> make_embedding_task(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<WholeTextTask>(model, options, Output::kEmbedding);
}

}  // namespace transformeter
