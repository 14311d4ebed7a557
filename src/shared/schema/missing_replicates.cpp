// Planned, less those that have ended.
#include "schema/missing_replicates.h"

#include <algorithm>

#include "schema/settings.h"
#include "schema/unfinished.h"

namespace transformeter {
namespace {

std::size_t ended_count(const CaseRecord& one) {
  return static_cast<std::size_t>(std::count_if(one.replicates.begin(), one.replicates.end(),
                                                [](const ReplicateRecord& each) { return !is_unfinished(each); }));
}

}  // namespace

bool is_answered(const CaseRecord& one) {
  if (one.replicates.empty()) return one.status.has_value();
  return std::any_of(one.replicates.begin(), one.replicates.end(),
                     [](const ReplicateRecord& each) { return is_answer(each.status) && each.status != Status::kOk; });
}

std::size_t missing_replicates(const CaseRecord& one, int planned) {
  if (is_answered(one)) return 0;
  const auto wanted = static_cast<std::size_t>(planned);
  return wanted - std::min(wanted, ended_count(one));
}

PendingReplicates pending_replicates(const RunRecord& run) {
  PendingReplicates all;
  for (const CaseRecord& one : run.cases) {
    const std::size_t missing = missing_replicates(one, run.replicates_planned);
    all.pending += missing;
    all.total += missing + ended_count(one);
  }
  return all;
}

bool is_resumable(const RunRecord& run) {
  return run.role != RunRole::kTrial &&
         std::none_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& one) { return is_live(one.requested); });
}

}  // namespace transformeter
