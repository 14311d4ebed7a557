// What the captured environment and the counters mean for measuring.
#pragma once

#include <filesystem>
#include <vector>

#include "base/json.h"
#include "doctor/check.h"
#include "machine/counters.h"
#include "machine/quiet.h"

namespace transformeter {

/// Processor, precisions, frequency, turbo, hardware threads, virtualization, container, memory, huge pages, swap and
/// clock. `environment` is capture_environment's; a figure that is null there is a check of its own kind ("not
/// visible"), never taken for good.
Checks check_environment(const Json& environment);

/// Processor counters, energy.
Checks check_counters(const PerfAccess& perf, const std::vector<EnergyDomain>& energy);

/// Background load and preemption during the observed window.
Checks check_noise(const QuietReport& report);

/// The folder for workers' output (a problem when it cannot be written), the one results go to by default, and the one
/// for what can be made again, of Context.
Checks check_folders(const std::filesystem::path& temporary, const std::filesystem::path& working,
                     const std::filesystem::path& cache);

}  // namespace transformeter
