// The rule and the memory of its decisions.
#include "run/cycle_cut.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

// Fewer batches do not stand for the lengths of a data set. When even these are too long for three cycles, the row says
// that it did not converge.
constexpr std::int64_t kFewestBatches = 4;

}  // namespace

std::optional<std::int64_t> cut_cycle(std::int64_t cycle_batches, Seconds forecast, Seconds limit) {
  if (cycle_batches <= 1 || !std::isfinite(forecast.count()) || forecast.count() <= limit.count() / 3) {
    return std::nullopt;
  }
  // A sixth, not a third: the other engines of the workload follow this decision and may be half as fast.
  const double fitting = std::floor(static_cast<double>(cycle_batches) * limit.count() / 6 / forecast.count());
  return std::max(std::min(cycle_batches, kFewestBatches), static_cast<std::int64_t>(fitting));
}

std::optional<std::int64_t> CycleCuts::decide(const std::string& workload, std::int64_t cycle_batches, Seconds forecast,
                                              Seconds limit) {
  const auto found = decided_.find(workload);
  if (found != decided_.end()) return found->second;
  return decided_[workload] = cut_cycle(cycle_batches, forecast, limit);
}

void CycleCuts::remember(const std::string& workload, const Json& effective) {
  const auto batches = effective.find("cycle_batches");
  const auto full = effective.find("cycle_batches_full");
  if (batches == effective.end() || !batches->is_number_integer()) return;
  if (full == effective.end() || *full == *batches) {
    decided_[workload] = std::nullopt;
  } else {
    decided_[workload] = batches->get<std::int64_t>();
  }
}

}  // namespace transformeter
