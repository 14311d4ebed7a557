// Whether something took processor time away from the worker: other processes, the scheduler, the hypervisor.
#pragma once

#include <string>

#include "schema/record.h"

namespace transformeter {

/// Each answers for one slice with its figures, or with an empty text when it finds nothing or its counters are
/// missing.

/// Other processes kept the worker's processors busy, and there was no room for both: hardly any idle time was left,
/// or `preempted` or `stolen` finds something too.
std::string foreign_load_finding(const ReplicateRecord& slice);
/// Other processes kept these processors busy, but there was room.
std::string harmless_load_finding(const ReplicateRecord& slice);
/// The worker's threads waited for a processor.
std::string preempted_finding(const ReplicateRecord& slice);
/// The hypervisor gave the processors to other guests.
std::string stolen_finding(const ReplicateRecord& slice);

}  // namespace transformeter
