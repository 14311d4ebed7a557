// Intel's and AMD's RAPL as powercap shows it: one folder for each zone, "intel-rapl:0" a package, "intel-rapl:0:1" a
// part of it. Cores and graphics are inside their package's count, memory is not; "psys" holds all of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "machine/counters.h"
#include "machine/energy_meter.h"

namespace transformeter {
namespace {

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, "RAPL Interfaces": energy status is updated
// about every millisecond.
constexpr Seconds kPeriod{1e-3};

constexpr const char* kFolder = "sys/class/powercap/";

// Names the same count alike, wherever it is shown: client processors show package-0 again behind memory-mapped
// registers (intel-rapl-mmio:0), and "dram" is one of each package. Empty for what must not be added.
std::string count_of(const EnergyDomain& domain, const SystemFiles& files) {
  if (domain.name.starts_with("package")) return domain.name;
  if (domain.name != "dram") return "";
  const std::size_t colon = domain.zone.rfind(':');
  return fmt::format("dram of {}", files.text(kFolder + domain.zone.substr(0, colon) + "/name").value_or(domain.zone));
}

}  // namespace

std::unique_ptr<EnergyMeter> open_rapl(std::string& why_not, const SystemFiles& files) {
  std::set<std::string> seen;
  std::vector<EnergyMeter::Domain> counted;
  for (const EnergyDomain& domain : find_energy_domains(files)) {
    const std::string count = count_of(domain, files);
    if (count.empty() || !seen.insert(count).second) continue;
    const std::string zone = kFolder + domain.zone;
    if (!domain.readable) {
      why_not = fmt::format("the energy counter of {} is not readable: by default only root may read /{}/energy_uj",
                            domain.name, zone);
      return nullptr;
    }
    counted.push_back({domain.name, [files, zone] { return files.integer(zone + "/energy_uj"); },
                       files.integer(zone + "/max_energy_range_uj")});
  }
  const bool has_package = std::any_of(counted.begin(), counted.end(),
                                       [](const auto& domain) { return domain.name.starts_with("package"); });
  if (!has_package) {
    why_not = "no CPU energy counter (RAPL) under /sys/class/powercap; most virtual machines have none";
    return nullptr;
  }
  return std::make_unique<EnergyMeter>("rapl", std::move(counted), kPeriod);
}

}  // namespace transformeter
