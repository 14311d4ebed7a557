// What a fine-tuning learns from, and what it is scored by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audio/feature_extractor.h"
#include "base/error.h"
#include "datasets/dataset.h"
#include "images/image_processor.h"
#include "schema/case.h"
#include "schema/finetune_options.h"
#include "schema/prediction.h"
#include "spec/model_config.h"
#include "tasks/hold_out.h"
#include "tasks/score.h"
#include "tasks/training_rows.h"
#include "tokenizers/ctc_vocabulary.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

struct AnswerScores {
  std::vector<Score> scores;   // the headline first; by it the best model is chosen
  std::optional<double> loss;  // the training loss of the answers, in nats or squared units, where it is known
  bool lower_is_better = false;
};

/// Inputs that a model is asked as `predict` asks them, and their score as `score` gives it.
class ScoredInputs {
 public:
  virtual ~ScoredInputs() = default;
  const std::vector<PredictionInput>& inputs() const { return inputs_; }
  const PredictionOptions& options() const { return options_; }
  /// The classes that are learnt, where answers name them; else empty.
  const std::vector<std::string>& labels() const { return labels_; }
  /// "FILE: example '…'".
  virtual std::string place_of(std::size_t input) const = 0;
  /// `answers` are to the inputs, in their order.
  virtual AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const = 0;

 protected:
  std::vector<PredictionInput> inputs_;
  PredictionOptions options_;
  std::vector<std::string> labels_;
};

/// Scoring on what the model learned from says nothing. Throws Error(kBadInput) if both data sets have a file and split
/// in common, if one path is given for both with a split for training only, and for an evaluation split of a file that
/// has no splits.
void check_evaluation_data(const Case& request, const std::string& path, const FineTuneOptions& options);

/// How a model reads images; borrowed.
struct ImageReading {
  const ModelConfig& config;
  const ImageProcessor& processor;
};

/// How a model reads sounds; borrowed.
struct SoundReading {
  const ModelConfig& config;
  const FeatureExtractorOptions& options;
  const CtcVocabulary* vocabulary = nullptr;  // of transcripts; null: none are learnt
};

/// A data set to learn from. Borrows all.
struct FineTuningSource {
  const std::string& path;
  const DataOptions& data;
  const Tokenizer* tokenizer;  // null: of images alone or sounds
  const ImageReading* images;  // null: of others
  const SoundReading* sounds;  // likewise
  const TrainingRowsOptions& rows;
  const FineTuneOptions& options;

  /// What is scored: evaluation_data, or else what evaluation_share holds back of `path`.
  const std::string& scored_file() const { return options.evaluation_data.empty() ? path : options.evaluation_data; }
  /// The columns are those of what is learnt from, the split is evaluation_split.
  DataOptions scored_data() const;
};

/// At most one of scored_inputs and scored_rows is there.
struct FineTuningSets {
  LabelledRows rows;
  std::unique_ptr<ScoredInputs> scored_inputs;
  std::vector<Example> scored_files = {};  // the same inputs, of a task on images or sounds
  // Of language models: perplexity of their labels, or of targets. Of images with captions, beside scored_files:
  // retrieval.
  std::optional<LabelledRows> scored_rows;
};

/// Of language models, whose texts are one: throws Error(kBadInput) for an evaluation_share.
FineTuningSets running_text_sets(const FineTuningSource& source);

template <typename Set>
struct Divided {
  Set learnt;
  std::optional<Set> kept;  // nothing where no share is kept back
};

template <typename Set>
Divided<Set> divided(Set all, const FineTuningSource& source) {
  if (!(source.options.evaluation_share > 0)) return {std::move(all), std::nullopt};
  HeldOut<Set> parts = hold_out(std::move(all), source.options.evaluation_share, source.rows.seed, source.path);
  return {std::move(parts.learnt), std::move(parts.kept)};
}

}  // namespace transformeter
