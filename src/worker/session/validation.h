// Validation during a fine-tuning: scores on examples that are not trained on.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/conll.h"
#include "datasets/dataset.h"
#include "datasets/squad.h"
#include "measure/training.h"
#include "schema/prediction.h"
#include "tasks/score.h"
#include "tasks/training_rows.h"

namespace transformeter {

struct ValidationResult {
  std::vector<Score> scores;   // the headline first; by it the best model is chosen
  std::optional<double> loss;  // mean cross entropy in nats, where it is known
  bool lower_is_better = false;
};

class Validation {
 public:
  virtual ~Validation() = default;
  /// The model as it is now, without dropout, in the precision of training. `alive` is called after each batch. Throws
  /// Error(kDiverged) for outputs or a loss that are NaN or infinite, and Error(kBadInput) where nothing counts.
  virtual ValidationResult validate(const Training& training, const std::function<void()>& alive) const = 0;
};

// Texts are encoded when a validation is made, from the training's tokenizer and lengths: throws Error(kBadInput)
// naming `where` and the input that the task cannot be asked.

/// Accuracy and macro F1 of examples, each of which has a label.
std::unique_ptr<Validation> make_class_validation(const Training& training, const DataSet& data,
                                                  const std::string& where);
/// F1 of entities; `tags` are the training's classes.
std::unique_ptr<Validation> make_entity_validation(const Training& training, const TaggedSentenceSet& set,
                                                   const std::vector<std::string>& tags, const std::string& where);
/// Exact match and F1 of answers.
std::unique_ptr<Validation> make_answer_validation(const Training& training, QuestionSet set, std::int64_t stride,
                                                   const std::string& where);
/// Perplexity of the rows' labels, for language models.
std::unique_ptr<Validation> make_token_validation(LabelledRows rows);

}  // namespace transformeter
