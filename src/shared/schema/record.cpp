// How a case's status follows from its replicates, its key, and the names of roles.
#include "schema/record.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

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

std::string plan_key(const Json& requested, const Json& workload) {
  return sha256_hex(canonical_json({{"requested", requested}, {"workload", workload}}));
}

std::optional<Status> case_status(const std::vector<ReplicateRecord>& replicates) {
  if (replicates.empty()) return std::nullopt;
  const bool any_ok = std::any_of(replicates.begin(), replicates.end(),
                                  [](const ReplicateRecord& replicate) { return replicate.status == Status::kOk; });
  return any_ok ? Status::kOk : replicates.back().status;
}

}  // namespace transformeter
