// What a model that learns is held against now and then: examples that it does not learn from.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/conll.h"
#include "data/dataset.h"
#include "data/score.h"
#include "data/squad.h"
#include "data/training_rows.h"
#include "terms/prediction.h"
#include "worker/training.h"

namespace transformeter {

struct ExaminationResult {
  std::vector<Score> scores;   // the headline first; by it the best model is chosen
  std::optional<double> loss;  // mean cross entropy in nats, where it is known
  bool lower_is_better = false;
};

class Examination {
 public:
  virtual ~Examination() = default;
  /// The model as it is now, without dropout, in the training's precision. `alive` is called after each batch. Throws
  /// Error(kDiverged) for outputs or a loss that are no numbers, and Error(kBadInput) where nothing counts.
  virtual ExaminationResult examine(const Training& training, const std::function<void()>& alive) const = 0;
};

/// Accuracy and macro F1 of examples with labels.
std::unique_ptr<Examination> examine_classes(DataSet data);
/// F1 of entities; the training's classes are the tags.
std::unique_ptr<Examination> examine_entities(TaggedSentenceSet set);
/// Exact match and F1 of answers.
std::unique_ptr<Examination> examine_answers(QuestionSet set, std::int64_t stride);
/// Perplexity of the rows' labels, for language models.
std::unique_ptr<Examination> examine_tokens(LabelledRows rows);

}  // namespace transformeter
