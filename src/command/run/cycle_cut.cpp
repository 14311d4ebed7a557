// The rule and the memory of its decisions.
#include "run/cycle_cut.h"

#include <algorithm>
#include <cmath>

namespace transformeter {

std::int64_t fewest_examples(const BatchSizes& sizes) {
  constexpr std::int64_t kFewest = 16;
  return std::max(kFewest, 2 * sizes.largest);
}

std::optional<std::int64_t> cut_cycle(const FullCycle& cycle, const TimeForCycles& time, std::int64_t fewest) {
  const double forecast_s = cycle.forecast.count();
  const double share_s = time.limit.count() / static_cast<double>(time.cycles);
  if (cycle.batches <= 1 || !std::isfinite(forecast_s) || forecast_s <= share_s) return std::nullopt;
  // Half of the share: the other engines that follow this decision may be half as fast.
  const double fitting = std::floor(static_cast<double>(cycle.examples) * share_s / 2 / forecast_s);
  const std::int64_t kept = std::max(fewest, static_cast<std::int64_t>(fitting));
  return kept < cycle.examples ? std::optional(kept) : std::nullopt;
}

std::optional<std::int64_t> cut_to_batches(const FullCycle& cycle, std::int64_t batches_per_cycle,
                                           const BatchSizes& sizes) {
  const std::int64_t kept = std::max(fewest_examples(sizes), batches_per_cycle * sizes.smallest);
  return cycle.batches > 1 && kept < cycle.examples ? std::optional(kept) : std::nullopt;
}

std::optional<std::int64_t> CycleCuts::decide(const std::string& texts, const FullCycle& cycle,
                                              const TimeForCycles& time, std::int64_t fewest) {
  const auto found = decided_.find(texts);
  if (found != decided_.end()) return found->second;
  return decided_[texts] = cut_cycle(cycle, time, fewest);
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
