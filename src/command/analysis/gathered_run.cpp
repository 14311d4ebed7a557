// Copies all of a case but its columns of samples.
#include "analysis/gathered_run.h"

#include "metrics/case_summary.h"

namespace transformeter {

GatheredRun::GatheredRun(const RunRecord& run) {
  run_.id = run.id;
  run_.name = run.name;
  run_.started_at = run.started_at;
  run_.replicates_planned = run.replicates_planned;
  run_.host = run.host;
  run_.settings = run.settings;
}

void GatheredRun::add(const CaseRecord& one) {
  CaseRecord& kept = run_.cases.emplace_back();
  kept.id = one.id;
  kept.position = one.position;
  kept.plan_key = one.plan_key;
  kept.key = one.key;
  kept.workload_key = one.workload_key;
  kept.requested = one.requested;
  kept.effective = one.effective;
  kept.launch = one.launch;
  kept.status = one.status;
  kept.status_reason = one.status_reason;
  kept.summary = has_current_summary(one) ? one.summary : summarize(one);
  for (const ReplicateRecord& replicate : one.replicates) {
    kept.replicates.push_back(
        {replicate.index, replicate.started_at, replicate.ranks, replicate.status, replicate.status_reason, {}});
  }
}

}  // namespace transformeter
