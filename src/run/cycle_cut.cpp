// The rule and the memory of its decisions.
#include "run/cycle_cut.h"

#include <algorithm>
#include <cmath>

namespace transformeter {

std::optional<std::int64_t> cut_cycle(const FullCycle& cycle, Seconds limit, std::int64_t fewest) {
  const double forecast_s = cycle.forecast.count();
  if (cycle.batches <= 1 || !std::isfinite(forecast_s) || forecast_s <= limit.count() / 3) return std::nullopt;
  // A sixth, not a third: the other engines that follow this decision may be half as fast.
  const double fitting = std::floor(static_cast<double>(cycle.examples) * limit.count() / 6 / forecast_s);
  const std::int64_t kept = std::max(fewest, static_cast<std::int64_t>(fitting));
  return kept < cycle.examples ? std::optional(kept) : std::nullopt;
}

std::optional<std::int64_t> CycleCuts::decide(const std::string& texts, const FullCycle& cycle, Seconds limit,
                                              std::int64_t fewest) {
  const auto found = decided_.find(texts);
  if (found != decided_.end()) return found->second;
  return decided_[texts] = cut_cycle(cycle, limit, fewest);
}

void CycleCuts::remember(const std::string& texts, const Json& effective) {
  const auto kept = effective.find("cycle_examples");
  const auto full = effective.find("cycle_examples_full");
  if (kept == effective.end() || !kept->is_number_integer()) return;
  if (full == effective.end() || *full == *kept) {
    decided_[texts] = std::nullopt;
  } else {
    decided_[texts] = kept->get<std::int64_t>();
  }
}

}  // namespace transformeter
