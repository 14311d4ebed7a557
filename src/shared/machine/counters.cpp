// Tries each counter, since permissions follow from too many settings (sysctl, capabilities, seccomp, hypervisor) to be
// predicted.
#include "machine/counters.h"

#include <algorithm>

#include "schema/event_counts.h"

namespace transformeter {

PerfAccess probe_perf_events(PerfEvents& events, const SystemFiles& files) {
  constexpr pid_t kThisThread = 0;
  PerfAccess access;
  access.paranoid = files.integer("proc/sys/kernel/perf_event_paranoid");
  const int hardware = events.open(perf_event(event_name::kInstructions), kThisThread);
  access.hardware = hardware >= 0;
  if (access.hardware) {
    events.close(hardware);
  } else {
    access.error = -hardware;
  }
  const int software = events.open(perf_event(event_name::kTaskClock), kThisThread);
  access.software = software >= 0;
  if (access.software) events.close(software);
  return access;
}

std::vector<EnergyDomain> find_energy_domains(const SystemFiles& files) {
  std::vector<EnergyDomain> domains;
  const std::string folder = "sys/class/powercap";
  for (const std::string& entry : files.list(folder)) {
    const std::string path = folder + "/" + entry;
    const auto name = files.text(path + "/name");
    if (!name || !files.exists(path + "/energy_uj")) continue;
    domains.push_back({*name, files.integer(path + "/energy_uj").has_value(), entry});
  }
  std::stable_sort(domains.begin(), domains.end(), [](const EnergyDomain& a, const EnergyDomain& b) {
    return a.name.starts_with("package") && !b.name.starts_with("package");
  });
  return domains;
}

}  // namespace transformeter
