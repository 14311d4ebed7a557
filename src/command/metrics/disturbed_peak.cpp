#include "metrics/disturbed_peak.h"

#include <fmt/format.h>

#include "metrics/verdict_rules.h"

namespace transformeter {

bool is_disturbed_peak(const std::optional<double>& foreign_load) {
  return foreign_load.value_or(0) > kMaxForeignLoad;
}

std::string disturbance_text(double foreign_load) {
  return fmt::format("measured while background load kept {:.2f} CPUs busy", foreign_load);
}

}  // namespace transformeter
