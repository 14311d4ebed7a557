// The score of answers while they come, of data that say what is right.
#pragma once

#include <cstddef>
#include <optional>

#include "schema/prediction.h"
#include "tasks/score.h"

namespace transformeter {

class AnswerScorer {
 public:
  virtual ~AnswerScorer() = default;
  /// In the order of the inputs. Throws Error(kProtocol) for an answer to another task.
  virtual void add(std::size_t index, const Prediction& prediction) = 0;
  /// Of the answers so far; nothing where there are none, or where they cannot be held against the data.
  virtual std::optional<ScoreReport> report(const StopCheck& check) const = 0;
};

}  // namespace transformeter
