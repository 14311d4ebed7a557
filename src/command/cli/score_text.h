// Scores as a table, as JSON, or in a line.
#pragma once

#include <string>

#include "base/json.h"
#include "tasks/score.h"

namespace transformeter {

/// The task, a row for each score with its interval, and notes.
std::string score_table(const ScoreReport& report);

/// The list `scores` of docs/data.md.
Json scores_json(const ScoreReport& report);

/// "accuracy 0.9120 (0.8920 to 0.9290), macro_f1 0.9100".
std::string score_line(const ScoreReport& report);

}  // namespace transformeter
