// What a case's replicates measured, slice by slice: the units that estimates are made of.
#pragma once

#include <vector>

#include "metrics/sample_window.h"
#include "schema/record.h"

namespace transformeter {

/// Of the replicates with status ok. A replicate measured in one window is one slice. Pointers borrow from the case or
/// from `parts`.
struct Slices {
  std::vector<const ReplicateRecord*> replicates;
  std::vector<std::vector<ReplicateRecord>> parts;  // of replicates with several slices
  /// In the order of the replicates. Each holds its own samples and counters; what a process has once, all of its
  /// slices hold.
  std::vector<const ReplicateRecord*> all;
  std::vector<SampleWindow> windows;  // one for each of `all`
};

/// The slices of one replicate, its index theirs; the replicate itself alone where it has one, or where its series
/// `slice_first_sample` does not fit its samples.
std::vector<ReplicateRecord> split_slices(const ReplicateRecord& replicate);

Slices slices_of(const CaseRecord& the_case);

}  // namespace transformeter
