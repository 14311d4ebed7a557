// What the figures of a run show, for each scenario.
#pragma once

#include <span>

#include "schema/scenario.h"

namespace transformeter {

/// A metric against what was swept.
struct SweepMetric {
  const char* metric;
  const char* title;
  const char* axis;    // words along the axis
  const char* better;  // begins the note
};

/// In the order of the page.
std::span<const SweepMetric> sweep_metrics(Scenario scenario);

}  // namespace transformeter
