// Wanted, neither there nor answered: as many of each case as missing_replicates says.
#include "run/due_replicates.h"

#include <algorithm>

#include "schema/missing_replicates.h"

namespace transformeter {
namespace {

bool holds(const CaseRecord& record, int replicate) {
  return std::any_of(record.replicates.begin(), record.replicates.end(),
                     [&](const ReplicateRecord& done) { return done.index == replicate; });
}

int fault_count(const CaseRecord& record) {
  return static_cast<int>(std::count_if(record.replicates.begin(), record.replicates.end(),
                                        [](const ReplicateRecord& replicate) { return !is_answer(replicate.status); }));
}

// The smallest bound below which as many indices are free as replicates are missing.
int wanted_of(const CaseRecord& record, int planned) {
  std::size_t missing = missing_replicates(record, planned);
  int wanted = 0;
  for (; missing > 0; ++wanted) missing -= holds(record, wanted) ? 0 : 1;
  return wanted;
}

}  // namespace

DueReplicates::DueReplicates(const std::vector<PlannedCase>& cases, int planned, bool retry_faults) : cases_(cases) {
  for (const PlannedCase& one : cases) {
    const int faults = retry_faults ? fault_count(one.record) : 0;
    wanted_.push_back(wanted_of(one.record, planned + faults));
  }
  planned_ = wanted_;
}

void DueReplicates::add(const std::vector<std::size_t>& indices) {
  for (const std::size_t index : indices) {
    for (const ReplicateRecord& done : cases_[index].record.replicates) {
      wanted_[index] = std::max(wanted_[index], done.index + 1);
    }
    ++wanted_[index];
  }
}

bool DueReplicates::is_due(std::size_t index, int replicate) const {
  const CaseRecord& record = cases_[index].record;
  return replicate < wanted_[index] && !is_answered(record) && !holds(record, replicate);
}

std::size_t DueReplicates::count(std::size_t index) const {
  std::size_t count = 0;
  for (int replicate = 0; replicate < wanted_[index]; ++replicate) count += is_due(index, replicate) ? 1 : 0;
  return count;
}

std::size_t DueReplicates::count() const {
  std::size_t sum = 0;
  for (std::size_t index = 0; index < cases_.size(); ++index) sum += count(index);
  return sum;
}

int DueReplicates::most() const {
  return wanted_.empty() ? 0 : *std::max_element(wanted_.begin(), wanted_.end());
}

std::optional<int> DueReplicates::next(std::size_t index) const {
  for (int replicate = 0; replicate < wanted_[index]; ++replicate) {
    if (is_due(index, replicate)) return replicate;
  }
  return std::nullopt;
}

std::vector<const PlannedCase*> DueReplicates::cases() const {
  std::vector<const PlannedCase*> due;
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    if (count(index) > 0) due.push_back(&cases_[index]);
  }
  return due;
}

}  // namespace transformeter
