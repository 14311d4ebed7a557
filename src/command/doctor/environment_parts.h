// The parts of check_environment, one file each.
#pragma once

#include "doctor/machine.h"

namespace transformeter {

/// Processor, precisions, governor, turbo, hyper-threads, virtualization.
Checks check_processor(const Json& environment);
/// Container, memory, huge pages, swap.
Checks check_memory(const Json& environment);
/// The clock's source, resolution and cost.
Check check_clock(const Json& environment);

}  // namespace transformeter
