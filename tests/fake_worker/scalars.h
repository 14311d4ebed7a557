// Plausible values for every declared series but latency, so that each metric has its input.
#pragma once

#include <vector>

#include "base/json.h"
#include "schema/series.h"

namespace transformeter {

/// The reply that carries a series.
enum class Stage {
  kPrepare,
  kWarm,
  kMeasure,
  kEvaluate,
  kCommand,  // no reply: the command computes it from others
};

/// The one-value series of a stage, without those the session computes (first_forward, cold_start, window).
/// `overrides` gives other values by name; null leaves a series out. A series that was declared after this was written
/// comes with kMeasure and a value by its unit.
std::vector<Series> scalars_of(Stage stage, const Json& overrides);

/// What is sent for evaluate: its scalars, and where `correct` of `evaluated` examples are right the answers that say
/// so: the classes 0 and 1 in turn, the right answers first. true_class or predicted_class null leaves that one out.
std::vector<Series> evaluated_series(const Json& overrides);

}  // namespace transformeter
