// Which counters of the processor, of its energy and of a GPU this process may read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/system_files.h"

namespace transformeter {

/// Whether events of the processor (cycles, instructions, cache misses) can be counted for this very process.
struct PerfAccess {
  bool hardware = false;
  int error = 0;                      // errno of the attempt; 0 when it succeeded
  std::optional<long long> paranoid;  // /proc/sys/kernel/perf_event_paranoid
};
PerfAccess probe_perf_events(const SystemFiles& files = SystemFiles());

/// One energy domain of powercap: "package-0", "dram".
struct EnergyDomain {
  std::string name;
  bool readable = false;  // by this process
};
/// Intel's and AMD's RAPL domains, packages first; empty where the kernel shows none.
std::vector<EnergyDomain> find_energy_domains(const SystemFiles& files = SystemFiles());

struct GpuDriver {
  std::optional<std::string> version;  // of the NVIDIA kernel module; nothing: not loaded
  int device_count = 0;                // /dev/nvidia0, 1, …
  bool has_nvml = false;               // libnvidia-ml.so.1 can be loaded
};
GpuDriver probe_gpu_driver(const SystemFiles& files = SystemFiles());

}  // namespace transformeter
