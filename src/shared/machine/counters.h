// Which counters of the processor and of its energy this process may read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/perf_events.h"
#include "machine/system_files.h"

namespace transformeter {

/// Whether events of the processor (cycles, instructions, cache misses) can be counted for this very process, and those
/// of the kernel (CPU time, page faults).
struct PerfAccess {
  bool hardware = false;
  int error = 0;                      // errno of the attempt; 0 when it succeeded
  std::optional<long long> paranoid;  // /proc/sys/kernel/perf_event_paranoid
  bool software = false;
};
PerfAccess probe_perf_events(PerfEvents& events, const SystemFiles& files = SystemFiles());

/// One energy domain of powercap: "package-0", "dram".
struct EnergyDomain {
  std::string name;
  bool readable = false;  // by this process
  std::string zone{};     // its folder under /sys/class/powercap: "intel-rapl:0:1"
};
/// Intel's and AMD's RAPL domains, packages first; empty where the kernel shows none.
std::vector<EnergyDomain> find_energy_domains(const SystemFiles& files = SystemFiles());

}  // namespace transformeter
