// The parts of diagnose_environment, one file each.
#pragma once

#include "doctor/machine.h"

namespace transformeter {

/// Processor, precisions, governor, turbo, hyper-threads, virtualization.
Diagnoses diagnose_processor(const Json& environment);
/// Container, memory, huge pages, swap.
Diagnoses diagnose_memory(const Json& environment);
/// The clock's source, resolution and cost.
Diagnosis diagnose_clock(const Json& environment);

}  // namespace transformeter
