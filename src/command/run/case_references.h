// The references that a run's cases are compared with: which are still needed, and how long they take.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "run/prepare_run.h"
#include "run/references.h"

namespace transformeter {

class CaseReferences {
 public:
  /// All three must outlive it.
  CaseReferences(const Context& context, const PreparedRun& run, const RunnerOptions& options);

  /// What the case's outputs are compared with, made now where it is not there: no other worker may run. Empty where
  /// the run compares none, or the case has been compared. `on_start` is called before a worker makes one.
  Reference of(const PlannedCase& planned, const std::function<void()>& on_start);
  /// Of making what `due` cases still need, and of comparing their outputs.
  Seconds time_for(const std::vector<const PlannedCase*>& due);
  /// How long checking and scoring a case took.
  void evaluated(Seconds duration);
  /// The case's effective "reference": its key, or why there is none.
  Json about(const Reference& reference) const;

 private:
  bool is_needed(const PlannedCase& planned) const;

  const PreparedRun& run_;
  const RunnerOptions& options_;
  std::optional<References> references_;
  Seconds longest_evaluation_{0};
};

}  // namespace transformeter
