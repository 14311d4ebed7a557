// Cases of the same work, but for the model and the batch size: those that a user chooses among.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/record.h"

namespace transformeter {

struct WorkGroup {
  std::string label;                 // "sequence_classification, batch, t128"
  std::vector<std::size_t> members;  // places among the cases
};

/// In the order in which they are met.
std::vector<WorkGroup> work_groups(const std::vector<const CaseRecord*>& cases);

}  // namespace transformeter
