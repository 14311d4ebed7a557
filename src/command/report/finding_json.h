// Findings of a diagnosis as JSON, field by field as docs/training-diagnosis.md describes them.
#pragma once

#include "analysis/training_finding.h"
#include "base/json.h"

namespace transformeter {

/// {name, unit, value, low, high, case}; low and high null without an interval, case null for a figure of several.
Json figure_json(const EvidenceFigure& figure);

/// {pattern, state, statement, reason, figures, advice: [{text, gain}], cases}.
Json finding_json(const TrainingFinding& finding);

}  // namespace transformeter
