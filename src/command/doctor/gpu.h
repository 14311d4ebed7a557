// What the GPUs of this machine, and who else is on them, mean for measuring.
#pragma once

#include <sys/types.h>

#include "doctor/check.h"
#include "machine/gpu_report.h"

namespace transformeter {

/// One for each GPU, or one that says why there is none: no fault where no driver is installed. `own_pid` is no
/// stranger on a GPU.
Checks check_gpus(const GpuReport& report, pid_t own_pid);

}  // namespace transformeter
