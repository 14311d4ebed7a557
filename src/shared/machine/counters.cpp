// Tries each counter, since permissions follow from too many settings (sysctl, capabilities, seccomp, hypervisor) to be
// predicted.
#include "machine/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace transformeter {

PerfAccess probe_perf_events(const SystemFiles& files) {
  PerfAccess access;
  access.paranoid = files.integer("proc/sys/kernel/perf_event_paranoid");
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long descriptor = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
  if (descriptor < 0) {
    access.error = errno;
    return access;
  }
  access.hardware = true;
  ::close(static_cast<int>(descriptor));
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
