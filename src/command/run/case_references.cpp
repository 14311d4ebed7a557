// One comparison per case, whichever replicate finishes first.
#include "run/case_references.h"

#include <algorithm>

namespace transformeter {
namespace {

// The first finished replicate is compared, as it is scored.
bool is_compared(const CaseRecord& record) {
  return std::any_of(record.replicates.begin(), record.replicates.end(),
                     [](const ReplicateRecord& done) { return done.status == Status::kOk; });
}

}  // namespace

CaseReferences::CaseReferences(const Context& context, const PreparedRun& run, const RunnerOptions& options)
    : run_(run), options_(options) {
  if (!options.compares || !run.gives_outputs) return;
  references_.emplace(context, ReferenceOptions{run.worker, run.record.host.value("worker", Json()),
                                                options.worker_timeout, options.interrupt});
}

bool CaseReferences::is_needed(const PlannedCase& planned) const {
  return references_ && !is_compared(planned.record);
}

Reference CaseReferences::of(const PlannedCase& planned, const std::function<void()>& on_start) {
  return is_needed(planned) ? references_->of(planned, on_start) : Reference{};
}

Seconds CaseReferences::time_for(const std::vector<const PlannedCase*>& due) {
  std::vector<const PlannedCase*> waiting;
  std::copy_if(due.begin(), due.end(), std::back_inserter(waiting),
               [&](const PlannedCase* planned) { return is_needed(*planned); });
  if (waiting.empty()) return Seconds(0);
  return references_->time_to_make(waiting) + longest_evaluation_ * static_cast<double>(waiting.size());
}

void CaseReferences::evaluated(Seconds duration) {
  longest_evaluation_ = std::max(longest_evaluation_, duration);
}

Json CaseReferences::about(const Reference& reference) const {
  if (!options_.compares) return {{"absent", "disabled (--reference off)"}};
  if (!run_.gives_outputs) return {{"absent", "the worker does not return outputs to compare"}};
  Json json = {{"key", reference.key}};
  if (!reference.computed) json["failed"] = reference.failure;
  if (reference.computed) json["controls"] = to_json(reference.computed->controls);
  return json;
}

}  // namespace transformeter
