// The record in memory holds no series: the store does, and a summary is made of what the store will hold.
#include "run/case_keeper.h"

#include <algorithm>
#include <utility>

#include "run/run_peaks.h"
#include "schema/unfinished.h"
#include "store/case_outcome.h"

namespace transformeter {
namespace {

void set_outcome(CaseRecord& record) {
  CaseOutcome outcome = case_outcome(record.replicates, {});
  record.status = outcome.status;
  record.status_reason = std::move(outcome.reason);
}

}  // namespace

std::vector<ReplicateRecord> CaseKeeper::earlier_replicates(const CaseRecord& record) const {
  if (record.replicates.empty()) return {};
  return stored_replicates(store_, run_.id, record.id);
}

CaseSoFar CaseKeeper::keep(CaseRecord& record, ReplicateOutcome outcome, IsNew is_new,
                           std::vector<ReplicateRecord>& earlier) {
  // A failed replicate may have got no further than prepare: what a good one read back stays.
  const bool tells_all = outcome.record.status == Status::kOk || record.effective.empty();
  if (!outcome.effective.empty() && tells_all) {
    const Json reference = record.effective.value("reference", Json());  // of the replicate that was compared
    record.effective = std::move(outcome.effective);
    if (!reference.is_null()) record.effective.emplace("reference", reference);
  }
  if (!record.effective.empty()) add_findings_of_run(record);
  if (!outcome.launch.empty()) record.launch = std::move(outcome.launch);
  if (!outcome.key.empty()) record.key = std::move(outcome.key);
  if (!outcome.workload_key.empty()) record.workload_key = std::move(outcome.workload_key);
  if (is_new == IsNew::kYes) {
    store_.add_replicate(run_.id, record, outcome.record);
  } else {
    store_.update_replicate(run_.id, record, outcome.record);
    record.replicates.pop_back();
  }
  CaseSoFar so_far = summarize(record, outcome.record, earlier);
  outcome.record.series.clear();
  record.replicates.push_back(std::move(outcome.record));
  set_outcome(record);
  return so_far;
}

void CaseKeeper::say_cut_off(CaseRecord& record, const std::string& why) {
  ReplicateRecord& last = record.replicates.back();
  if (!is_unfinished(last)) return;  // it has all that were planned
  std::vector<ReplicateRecord> stored = stored_replicates(store_, run_.id, record.id);
  const auto same =
      std::find_if(stored.begin(), stored.end(), [&](const ReplicateRecord& one) { return one.index == last.index; });
  if (same == stored.end()) return;
  last.status_reason += "; " + why;
  same->status_reason = last.status_reason;
  store_.update_replicate(run_.id, record, *same);
  keep_summary_again(store_, run_.id, record.id);
}

// What is known of the case from elsewhere than its workers.
void CaseKeeper::add_findings_of_run(CaseRecord& record) const {
  record.effective["peaks"] = peaks_of_case(run_, case_from(record.requested));
  const Json::json_pointer choice = Json::json_pointer("/engine_choices") / record.id;
  if (run_.host.contains(choice)) record.effective["engine_choice"] = run_.host.at(choice);
}

CaseSoFar CaseKeeper::summarize(const CaseRecord& record, ReplicateRecord& newest,
                                std::vector<ReplicateRecord>& earlier) {
  CaseRecord whole = record;
  whole.replicates = std::move(earlier);
  whole.replicates.push_back(std::move(newest));
  set_outcome(whole);
  CaseSoFar so_far = keep_summary(store_, run_.id, whole);
  newest = std::move(whole.replicates.back());
  whole.replicates.pop_back();
  earlier = std::move(whole.replicates);
  return so_far;
}

}  // namespace transformeter
