// Who else is on the GPUs of a plan before any worker of the run is.
#pragma once

#include <vector>

#include "base/context.h"
#include "run/expand.h"
#include "run/plan.h"

namespace transformeter {

/// Warns of each GPU that has processes of others; with the plan's `busy_gpu` "error" throws Error(kEnvironment) that
/// names them. A GPU that NVML does not tell of is passed over.
void check_other_gpu_processes(const Context& context, const Plan& plan, const std::vector<PlannedCase>& cases);

}  // namespace transformeter
