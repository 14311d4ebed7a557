// Validation during a fine-tuning: scores on examples that are not trained on.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/training.h"
#include "tasks/fine_tuning_sets.h"
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

/// By a task's own score. Texts are encoded at once, by the training's tokenizer and lengths: throws Error(kBadInput)
/// naming the input that the task cannot be asked.
std::unique_ptr<Validation> make_validation(const Training& training, std::unique_ptr<ScoredInputs> inputs);
/// The same of images, which are decoded each time: a data set need not fit into memory. `examples` are the
/// inputs. Throws Error(kBadInput), while it validates, naming the file of one that cannot be read.
std::unique_ptr<Validation> make_image_validation(std::unique_ptr<ScoredInputs> inputs, std::vector<Example> examples);
/// Likewise of sounds, of speech_recognition with transcripts, whose error rates are better where they are lower. Each
/// goes alone through a model that would read padding, as `predict` has it.
std::unique_ptr<Validation> make_sound_validation(std::unique_ptr<ScoredInputs> inputs, std::vector<Example> examples);
/// Recall of images by their captions and of captions by their images, and the loss in batches as they are learnt.
/// `images`: the number of each row's image.
std::unique_ptr<Validation> make_retrieval_validation(LabelledRows rows, std::vector<std::size_t> images);
/// Perplexity of the rows' labels, for language models.
std::unique_ptr<Validation> make_token_validation(LabelledRows rows);

}  // namespace transformeter
