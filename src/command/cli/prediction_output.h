// What `predict` writes: a line of JSON for each answer, one JSON document, a table, or the file that `score` reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/output.h"
#include "run/predict.h"
#include "tasks/prediction_inputs.h"
#include "tasks/score.h"

namespace transformeter {

/// What was asked; borrows the inputs.
struct PredictionSubject {
  const PredictionInputs& inputs;
  Task task{};
  Json identity;  // of the model, as Describer has it
  Json data;      // {"file", "sha256"}, or null
};

class PredictionOutput : public PredictionSink {
 public:
  /// What closes the output; after the last answer. `scores` of the answers are shown where the format has a place for
  /// them; null: there are none.
  virtual void finish(const ScoreReport* scores) = 0;
};

/// Whether the format has a place for scores.
bool shows_scores(const std::string& format);

/// The formats, the default first.
const std::vector<std::string>& prediction_formats();

/// Throws Error(kBadInput) when the format cannot hold answers to these inputs. Borrows `subject`.
std::unique_ptr<PredictionOutput> make_prediction_output(const std::string& format, const PredictionSubject& subject,
                                                         Sink sink);

}  // namespace transformeter
