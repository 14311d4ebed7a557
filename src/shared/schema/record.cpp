// How a case's status follows from its replicates.
#include "schema/record.h"

#include <algorithm>

namespace transformeter {

std::optional<Status> case_status(const std::vector<ReplicateRecord>& replicates) {
  if (replicates.empty()) return std::nullopt;
  const bool any_ok = std::any_of(replicates.begin(), replicates.end(),
                                  [](const ReplicateRecord& replicate) { return replicate.status == Status::kOk; });
  return any_ok ? Status::kOk : replicates.back().status;
}

}  // namespace transformeter
