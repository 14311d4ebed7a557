// What a store keeps as a case's status: it follows from the replicates, whatever the record says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/record.h"

namespace transformeter {

struct CaseOutcome {
  std::optional<Status> status;
  std::string reason;  // the last replicate's; empty when the case is ok

  friend bool operator==(const CaseOutcome&, const CaseOutcome&) = default;
};

/// From the replicates; `planned` while there are none.
CaseOutcome case_outcome(const std::vector<ReplicateRecord>& replicates, const CaseOutcome& planned);

}  // namespace transformeter
