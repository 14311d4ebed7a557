// Collects a run case by case from a store, without samples, for code that needs all cases at once.
#pragma once

#include "schema/record.h"

namespace transformeter {

class GatheredRun {
 public:
  /// `run` is used without its cases.
  explicit GatheredRun(const RunRecord& run);

  /// The case must hold its series or a current summary; of both the summary is kept.
  void add(const CaseRecord& one);

  /// Fit for analyze_run.
  const RunRecord& record() const { return run_; }

 private:
  RunRecord run_;
};

}  // namespace transformeter
