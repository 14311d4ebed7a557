// How a case's status follows from its replicates, and the names of roles.
#include "schema/record.h"

#include <algorithm>

#include "base/error.h"

namespace transformeter {

std::string_view name_of(RunRole role) {
  return role == RunRole::kTrial ? "trial" : "result";
}

RunRole run_role_from_name(std::string_view name) {
  for (const RunRole role : {RunRole::kResult, RunRole::kTrial}) {
    if (name == name_of(role)) return role;
  }
  throw unknown_value("role", name, {"result", "trial"});
}

std::optional<Status> case_status(const std::vector<ReplicateRecord>& replicates) {
  if (replicates.empty()) return std::nullopt;
  const bool any_ok = std::any_of(replicates.begin(), replicates.end(),
                                  [](const ReplicateRecord& replicate) { return replicate.status == Status::kOk; });
  return any_ok ? Status::kOk : replicates.back().status;
}

}  // namespace transformeter
