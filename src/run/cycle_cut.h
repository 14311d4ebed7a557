// Cutting the cycle of a workload that is too long for the time limit, alike for all cases of the workload.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/units.h"

namespace transformeter {

/// K' for a cycle of K batches forecast to take `forecast`: nothing when it fits into a third of `limit` (three cycles
/// are the least, measurement.md 3), else max(min(K, 4), ⌊K · limit/6 ÷ forecast⌋). Nothing for K ≤ 1 and a forecast
/// that is not positive and finite.
std::optional<std::int64_t> cut_cycle(std::int64_t cycle_batches, Seconds forecast, Seconds limit);

/// What the first case of each workload decided; later cases, whatever their engine, follow.
class CycleCuts {
 public:
  /// The decision for the workload of this key (workload_key without a cut), made now when it is the first.
  std::optional<std::int64_t> decide(const std::string& workload, std::int64_t cycle_batches, Seconds forecast,
                                     Seconds limit);
  /// For resume: takes over what a stored case ran with, from its effective settings.
  void remember(const std::string& workload, const Json& effective);

 private:
  std::map<std::string, std::optional<std::int64_t>> decided_;
};

}  // namespace transformeter
