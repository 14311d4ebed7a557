// One replicate that worked makes the case ok.
#include "store/case_outcome.h"

namespace transformeter {

CaseOutcome case_outcome(const std::vector<ReplicateRecord>& replicates, const CaseOutcome& planned) {
  if (replicates.empty()) return planned;
  const std::optional<Status> status = case_status(replicates);
  return {status, status == Status::kOk ? std::string() : replicates.back().status_reason};
}

}  // namespace transformeter
