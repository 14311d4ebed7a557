// Checks a plan's GPUs for other processes before a run starts its first worker.
#pragma once

#include <vector>

#include "base/context.h"
#include "run/expand.h"
#include "run/plan.h"

namespace transformeter {

/// Warns about each GPU that other processes use; with the plan's `busy_gpu` "error" throws Error(kEnvironment) that
/// names them. GPUs that NVML does not report are skipped.
void check_other_gpu_processes(const Context& context, const Plan& plan, const std::vector<PlannedCase>& cases);

}  // namespace transformeter
