// A factor of the highest rate.
#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformeter {
namespace {

// Of the steps after warm-up, from 0 to 1.
double progress_at(const Schedule& schedule, std::int64_t step) {
  const auto rest = static_cast<double>(std::max<std::int64_t>(1, schedule.steps - schedule.warmup_steps));
  return std::min(1.0, static_cast<double>(step - schedule.warmup_steps) / rest);
}

}  // namespace

const std::vector<std::string>& schedule_kinds() {
  static const std::vector<std::string> kKinds{"constant", "linear", "cosine"};
  return kKinds;
}

double learning_rate_at(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warmup_steps) {
    return schedule.learning_rate * static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
  }
  if (schedule.kind == "constant") return schedule.learning_rate;
  if (schedule.kind == "linear") return schedule.learning_rate * (1 - progress_at(schedule, step));
  if (schedule.kind == "cosine") {
    return schedule.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * progress_at(schedule, step)));
  }
  throw unknown_value("schedule", schedule.kind, schedule_kinds());
}

}  // namespace transformeter
