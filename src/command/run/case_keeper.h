// What a replicate measured, taken into its case and into the store.
#pragma once

#include <vector>

#include "run/case_summaries.h"
#include "run/replicate.h"
#include "schema/record.h"
#include "store/store.h"

namespace transformeter {

/// Whether the store has nothing of the replicate yet.
enum class IsNew { kYes, kNo };

class CaseKeeper {
 public:
  /// Both must outlive it; `run` is in the store.
  CaseKeeper(Store& store, const RunRecord& run) : store_(store), run_(run) {}

  /// Those the case has, with their series, which are in the store alone.
  std::vector<ReplicateRecord> earlier_replicates(const CaseRecord& record) const;

  /// Takes the replicate into `record`, without its series, and both with the case's summary into the store; `earlier`
  /// are the other replicates with their series, and come back as they were. A replicate that goes on takes the place
  /// of what was kept of it. Throws what the store throws.
  CaseSoFar keep(CaseRecord& record, ReplicateOutcome outcome, IsNew is_new, std::vector<ReplicateRecord>& earlier);

  /// Says of the last replicate why slices of it are missing, beside how many there are. What was kept of it stays.
  /// Throws what the store throws.
  void say_cut_off(CaseRecord& record, const std::string& why);

 private:
  void add_findings_of_run(CaseRecord& record) const;
  CaseSoFar summarize(const CaseRecord& record, ReplicateRecord& newest, std::vector<ReplicateRecord>& earlier);

  Store& store_;
  const RunRecord& run_;
};

}  // namespace transformeter
