// Which replicates of a run are still to be measured.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "run/expand.h"

namespace transformeter {

class DueReplicates {
 public:
  /// The missing_replicates of each case for `planned` ones, and with `retry_faults` for one more for each that timed
  /// out, crashed or failed. `cases` must outlive it; what they have by now is read from their records.
  DueReplicates(const std::vector<PlannedCase>& cases, int planned, bool retry_faults);

  /// One replicate more of each of these cases, beyond what was planned and what it has.
  void add(const std::vector<std::size_t>& indices);
  /// What was added and is not measured is not due any more.
  void forget_added() { wanted_ = planned_; }

  /// No replicate of a case is due that has an answer other than ok: it would be the same each time.
  bool is_due(std::size_t index, int replicate) const;
  std::size_t count(std::size_t index) const;
  std::size_t count() const;
  /// The most that any case was to have.
  int most() const;
  /// The lowest number of the case's replicates that are due; nothing where none is.
  std::optional<int> next(std::size_t index) const;
  std::vector<const PlannedCase*> cases() const;

 private:
  const std::vector<PlannedCase>& cases_;
  std::vector<int> wanted_;  // of each case
  std::vector<int> planned_;
};

}  // namespace transformeter
