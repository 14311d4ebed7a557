// What the captured environment and the counters mean for measuring.
#pragma once

#include <filesystem>
#include <vector>

#include "base/json.h"
#include "doctor/diagnosis.h"
#include "machine/counters.h"
#include "machine/quiet.h"

namespace transformeter {

/// Processor, precisions, frequency, turbo, hardware threads, virtualization, container, memory, huge pages, swap and
/// clock. `environment` is capture_environment's; a figure that is null there is a diagnosis of its own kind ("not
/// visible"), never taken for good.
Diagnoses diagnose_environment(const Json& environment);

/// Processor counters, energy.
Diagnoses diagnose_counters(const PerfAccess& perf, const std::vector<EnergyDomain>& energy);

/// Background load and preemption during the observed window.
Diagnoses diagnose_noise(const QuietReport& report);

/// The folder for workers' output (a problem when it cannot be written), and the one results go to by default.
Diagnoses diagnose_folders(const std::filesystem::path& temporary, const std::filesystem::path& working);

}  // namespace transformeter
